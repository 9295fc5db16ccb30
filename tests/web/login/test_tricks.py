"""What another site may try: forms sent from there, and targets that lead away from here."""

import pytest

from gateway.web.login.paths import local_path
from tests.auth.identity import Clock
from tests.web.login.browser import KEY, PUBLIC, browsing


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "///evil.example",
        r"/\evil.example",
        r"\\evil.example",
        r"/a\..\..\\evil.example",
        "/\t/evil.example",
        "\t//evil.example",
        "/\n/evil.example",
        "/\x00",
        "/a b",
        "/ä",
        "javascript:alert(1)",
        "skills/a",
        "",
        "/login",
        "/login?next=/login",
        "/logout",
        "/login/oauth?issuer=0",
        "/" + "a" * 2048,
        None,
    ],
    ids=range(21),
)
def test_a_target_elsewhere_is_none(target: str | None) -> None:
    """[WHATWG URL section 4.4] Browsers drop tabs and newlines, and take a backslash for a slash."""
    assert local_path(target) == "/"


@pytest.mark.parametrize("target", ["/", "/skills/acme/a?file=b%20c&d=//e#f", "/a//b", "/loginfo", "/%2F/evil.example"])
def test_a_target_here_is_kept(target: str) -> None:
    """[ours]"""
    assert local_path(target) == target


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example/", r"/\evil.example", "/\r\nSet-Cookie: a=b"]
)
async def test_a_login_leads_nowhere_else(clock: Clock, target: str) -> None:
    """[RFC 9700 section 4.11 (open redirection)]"""
    async with browsing(clock) as browser:
        assert 'name="next" value="/"' in (await browser.client.get("/login", params={"next": target})).text
        entered = await browser.log_in(KEY, target)
        assert (entered.status_code, entered.headers["location"]) == (303, "/")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": PUBLIC, "Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": PUBLIC}, 303),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({}, 403),
        ({"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "null", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": PUBLIC, "Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://app.example.com", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://app.example.com"}, 403),
    ],
    ids=range(12),
)
async def test_a_form_from_elsewhere_logs_nobody_in_or_out(clock: Clock, headers: dict[str, str], status: int) -> None:
    """[Fetch Metadata section 2.4] An origin that may use MCP may not log in; no browser says nothing."""
    async with browsing(clock) as browser:
        for path in ("/login", "/logout"):
            answer = await browser.client.post(path, data={"token": KEY}, headers=headers)
            assert answer.status_code == status
            assert ("set-cookie" in answer.headers) == (status == 303)


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (f'{{"token": "{KEY}"}}', "application/json", 400),
        (f"token={KEY}", "text/plain", 400),
        (f"token={KEY}&" + "&".join(f"f{number}=" for number in range(20)), "application/x-www-form-urlencoded", 400),
        ("token=" + "a" * 17_000, "application/x-www-form-urlencoded", 400),
        ("token=" + "a" * 70_000, "application/x-www-form-urlencoded", 413),
        ("token=ä", "application/x-www-form-urlencoded", 400),
        ("token=%FF%00", "application/x-www-form-urlencoded", 401),
        (f"token=x&token={KEY}", "application/x-www-form-urlencoded", 401),
        (f"token={KEY}", "application/x-www-form-urlencoded;charset=UTF-8", 303),
    ],
    ids=["json", "text", "many", "long", "longer", "no-ascii", "no-utf8", "twice", "good"],
)
async def test_what_is_no_form_of_ours_is_refused(clock: Clock, content: str, kind: str, status: int) -> None:
    """[WHATWG URL section 5.1]"""
    async with browsing(clock) as browser:
        answer = await browser.client.post(
            "/login", content=content, headers={"Content-Type": kind, "Origin": browser.origin}
        )
        assert answer.status_code == status


async def test_a_page_shows_no_markup_of_a_request(clock: Clock) -> None:
    """[ours]"""
    async with browsing(clock) as browser:
        told = await browser.client.get("/login", params={"next": '/"><script>alert(1)</script>', "why": "<b>x</b>"})
        assert "<script" not in told.text
        assert "<b>" not in told.text
        assert 'value="/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"' in told.text
