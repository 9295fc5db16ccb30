"""Login by key with a browser: who gets in, how long, and where a session counts."""

import logging

import pytest

from gateway.auth.apikeys import make_api_key
from tests.auth.identity import Clock
from tests.protocol.host import headers_of, with_meta
from tests.web.login.browser import HTML, KEY, READER, WEAK, browsing

SESSION = "__Host-skills_session"
NEW, OLD = b"n" * 32, b"k" * 32


async def test_with_a_key_a_browser_reads_the_page_it_came_for(clock: Clock) -> None:
    """[ours] The form keeps what was asked for."""
    async with browsing(clock) as browser:
        first = await browser.get("/skills/acme/refunds?file=a%20b")
        assert (first.status_code, first.headers["location"]) == (
            303,
            "/login?next=%2Fskills%2Facme%2Frefunds%3Ffile%3Da%2520b",
        )
        form = await browser.get(first.headers["location"])
        assert form.status_code == 200
        assert '<input type="hidden" name="next" value="/skills/acme/refunds?file=a%20b">' in form.text
        entered = await browser.log_in(f" Bearer {KEY}\n", "/skills/acme/refunds?file=a%20b")
        assert (entered.status_code, entered.headers["location"]) == (303, "/skills/acme/refunds?file=a%20b")
        assert (await browser.get("/skills/acme/refunds")).json() == READER
        assert (await browser.get("/")).json() == READER


@pytest.mark.parametrize(
    ("token", "status", "sentence", "counted"),
    [
        (KEY[:-1] + "x", 401, "That key or token is not good here.", "login_token"),
        ("<script>", 401, "That key or token is not good here.", "login_token"),
        ("a.b.c", 401, "That key or token is not good here.", "login_token"),
        (make_api_key("reader", b"9" * 32)[0], 401, "The API key is not known here.", "login_token"),
        ("", 400, "Nothing was entered.", "login_empty"),
        (WEAK, 403, "a scope is missing", "login_scope"),
    ],
    ids=["wrong-checksum", "script", "no-jwt", "unknown", "empty", "no-scope"],
)
async def test_a_wrong_key_shows_the_form_again(
    clock: Clock, token: str, status: int, sentence: str, counted: str
) -> None:
    """[ours] Nothing that was entered is shown again, and no cookie is set."""
    async with browsing(clock) as browser:
        answer = await browser.log_in(token, "/skills/a")
        assert (answer.status_code, answer.headers.get_list("set-cookie")) == (status, [])
        assert sentence in answer.text
        assert 'name="next" value="/skills/a"' in answer.text
        assert not token or token not in answer.text
        assert browser.denials.counts[counted] == 1
        assert (await browser.get("/")).status_code == 303


async def test_a_session_ends_and_says_so(clock: Clock) -> None:
    """[ours]"""
    async with browsing(clock, session_s=600) as browser:
        await browser.log_in(KEY)
        clock.at += 599
        assert (await browser.get("/")).status_code == 200
        clock.at += 1
        ended = await browser.get("/skills/a")
        assert ended.headers["location"] == "/login?next=%2Fskills%2Fa&why=ended"
        assert f"{SESSION}=; Path=/; Max-Age=0" in ended.headers.get_list("set-cookie")[0]
        assert "Your session ended." in (await browser.get(ended.headers["location"])).text


async def test_a_cookie_that_was_altered_is_no_session(clock: Clock) -> None:
    """[AES-GCM] Wherever it was altered."""
    async with browsing(clock) as browser:
        await browser.log_in(KEY)
        good = browser.client.cookies[SESSION]
        for at in range(0, len(good), 7):
            other = good[:at] + ("A" if good[at] != "A" else "B") + good[at + 1 :]
            browser.client.cookies.clear()
            browser.client.cookies.set(SESSION, other)
            assert (await browser.get("/")).status_code == 303
        browser.client.cookies.set(SESSION, good)
        assert (await browser.get("/")).status_code == 200


@pytest.mark.parametrize(
    ("ring", "is_known"),
    [((OLD, NEW), True), ((NEW, OLD), True), ((NEW,), False), ((b"x" * 32,), False)],
    ids=["old-new", "new-old", "new", "foreign"],
)
async def test_a_session_outlives_a_rotation_until_its_key_is_gone(
    clock: Clock, ring: tuple[bytes, ...], is_known: bool
) -> None:
    """[ours: the ring of the cursors, the first seals and all open]"""
    async with browsing(clock, ring=(OLD,)) as browser:
        await browser.log_in(KEY)
        cookies = dict(browser.client.cookies)
    async with browsing(clock, ring=ring, cookies=cookies) as browser:
        assert (await browser.get("/")).status_code == (200 if is_known else 303)


async def test_a_session_counts_on_pages_alone(clock: Clock) -> None:
    """[ours: no CSRF at MCP] Nor where a page takes something, nor beside a token that is no good."""
    async with browsing(clock) as browser:
        await browser.log_in(KEY)
        headers = headers_of("modern", "skills/list") | {"Origin": browser.origin}
        sent = {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": with_meta("modern", {})}
        assert (await browser.client.post("/mcp", json=sent, headers=headers)).status_code == 401
        assert (await browser.get("/mcp")).status_code == 401
        assert (await browser.post("/posted")).status_code == 401
        assert (await browser.get("/", Authorization="Bearer nonsense")).status_code == 401
        assert (await browser.client.head("/posted")).status_code == 405


async def test_only_who_reads_html_is_sent_to_the_login(clock: Clock) -> None:
    """[RFC 6750 section 3] A script gets the 401 that it understands, also when it fetches a page."""
    async with browsing(clock) as browser:
        fetched = await browser.client.get("/", headers=HTML | {"Sec-Fetch-Mode": "cors"})
        assert fetched.status_code == 401
        assert (await browser.client.get("/", headers=HTML | {"Sec-Fetch-Mode": "navigate"})).status_code == 303
        answer = await browser.client.get("/", headers={"Accept": "application/json"})
        assert (answer.status_code, "www-authenticate" in answer.headers) == (401, True)
        assert (await browser.client.get("/livez", headers=HTML)).status_code == 200
        assert (await browser.get("/elsewhere")).status_code == 401


async def test_logging_out_ends_the_session_of_this_browser(clock: Clock) -> None:
    """[ours]"""
    async with browsing(clock) as browser:
        await browser.log_in(KEY)
        left = await browser.post("/logout")
        assert (left.status_code, left.headers["location"]) == (303, "/login?why=out")
        assert dict(browser.client.cookies) == {}
        assert "You are logged out." in (await browser.get("/login?why=out")).text
        assert (await browser.get("/")).status_code == 303
        assert (await browser.get("/logout")).status_code == 405


@pytest.mark.parametrize(
    ("public", "start", "end"),
    [
        ("https://skills.example.com", "__Host-skills_session=", "; HttpOnly; SameSite=Lax; Secure"),
        ("http://127.0.0.1:8000", "skills_session=", "; HttpOnly; SameSite=Lax"),
    ],
    ids=["https", "http"],
)
async def test_the_cookie_is_as_strict_as_the_url_allows(clock: Clock, public: str, start: str, end: str) -> None:
    """[RFC 6265bis section 4.1.3] A scheme that is not https can carry no secure cookie."""
    async with browsing(clock, public=public, session_s=600) as browser:
        field, second = (await browser.log_in(KEY)).headers.get_list("set-cookie")
        assert field.startswith(start)
        assert field.endswith(f"; Path=/; Max-Age=600{end}")
        assert second == f"{start[:-1]}-2=; Path=/; Max-Age=0{end}"
        assert (await browser.get("/")).json() == READER


async def test_every_answer_keeps_itself_to_itself(clock: Clock) -> None:
    """[CSP Level 3] Also the redirect of a page."""
    async with browsing(clock) as browser:
        answers = [await browser.get("/login"), await browser.get("/"), await browser.log_in("x")]
        answers += [await browser.log_in(KEY), await browser.post("/logout")]
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; ")
            assert policy.endswith("base-uri 'none'; frame-ancestors 'none'")
            assert answer.headers["referrer-policy"] == "same-origin"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"


async def test_nothing_that_is_secret_is_logged(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    caplog.set_level(logging.DEBUG)
    async with browsing(clock) as browser:
        await browser.log_in(KEY)
        await browser.get("/")
        await browser.log_in(KEY[:-1] + "x")
        assert browser.client.cookies[SESSION] not in caplog.text
    assert KEY[:20] not in caplog.text
