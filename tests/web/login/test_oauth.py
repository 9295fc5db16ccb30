"""Login at an identity provider over real sockets: what is sent where, and what is not believed."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest

from tests.auth.identity import NOW, OPENID, Clock, IdentityProvider, jwk_of, key_of
from tests.web.login.browser import KEY, RING, Browser, browsing
from tests.web.login.provider import CALLBACK, RESOURCE, TOKEN, LoginProvider, local_part

FLOW, SESSION, USUAL = "__Host-skills_login", "__Host-skills_session", "__Host-skills_provider"


@asynccontextmanager
async def at(idp: LoginProvider, clock: Clock, **changes: Any) -> AsyncIterator[Browser]:
    trusted = idp.trusted(audiences=(RESOURCE,))
    async with browsing(clock, issuers=(trusted,), **{"oauth": idp.oauth(), **changes}) as browser:
        yield browser


async def authorised(browser: Browser, next_path: str = "/skills/a") -> str:
    """Goes to the provider; the path that the browser is sent back to."""
    away = await browser.client.get("/login/oauth", params={"issuer": "0", "next": next_path})
    assert away.status_code == 303
    async with httpx.AsyncClient() as elsewhere:
        back = await elsewhere.get(away.headers["location"])
    assert back.status_code == 302, back.text
    return local_part(back.headers["location"])


async def test_a_person_logs_in_at_the_provider_and_comes_back(idp: LoginProvider, clock: Clock) -> None:
    """[RFC 6749 section 4.1, RFC 7636, RFC 8707] Until the token expires."""
    async with at(idp, clock) as browser:
        form = await browser.get("/login?next=/skills/a")
        link = f'/login/oauth?issuer=0&amp;next=%2Fskills%2Fa">Log in with {urlsplit(idp.url).netloc}</a>'
        assert link in form.text
        away = await browser.get("/login/oauth?issuer=0&next=%2Fskills%2Fa")
        asked = dict(parse_qsl(urlsplit(away.headers["location"]).query, strict_parsing=True))
        assert len(asked.pop("state")) == len(asked.pop("code_challenge")) == 43
        assert asked == {
            "response_type": "code",
            "client_id": "gateway",
            "redirect_uri": CALLBACK,
            "scope": "skills:read",
            "code_challenge_method": "S256",
            "resource": RESOURCE,
        }
        done = await browser.get(await authorised(browser))
        assert (done.status_code, done.headers["location"]) == (303, "/skills/a")
        assert sorted(browser.client.cookies) == [USUAL, SESSION]
        assert (await browser.get("/")).json() == {"issuer": idp.url, "subject": "alice"}
        clock.at = NOW + 599
        assert (await browser.get("/")).status_code == 200
        assert idp.asked[OPENID] == 1
        assert idp.fields == [None]


async def test_when_its_token_expired_a_browser_is_sent_to_its_provider_again(idp: LoginProvider, clock: Clock) -> None:
    """[ours] For as long as a session with a key would last, and not once it logged out, or in otherwise."""
    async with at(idp, clock, session_s=7200) as browser:
        done = await browser.get(await authorised(browser))
        assert f"{USUAL}=0; Path=/; Max-Age=7200; " in done.headers.get_list("set-cookie")[-1]
        clock.at += 600
        ended = await browser.get("/skills/b")
        assert ended.headers["location"] == "/login/oauth?issuer=0&next=%2Fskills%2Fb"
        assert list(browser.client.cookies) == [USUAL]
        idp.claims = {"iat": clock.at, "exp": clock.at + 600}
        await browser.get(await authorised(browser))
        assert (await browser.get("/")).status_code == 200
        await browser.post("/logout")
        assert dict(browser.client.cookies) == {}
        await browser.get(await authorised(browser))
        await browser.log_in(KEY)
        assert list(browser.client.cookies) == [SESSION]


async def test_whoever_is_refused_at_the_provider_is_not_sent_there_again(idp: LoginProvider, clock: Clock) -> None:
    """[ours] No loop, and room for a key. Nor is what the cookie says believed."""
    async with at(idp, clock) as browser:
        browser.client.cookies.set(USUAL, "0")
        idp.answered = {"code": None, "error": "access_denied"}
        assert (await browser.get("/")).headers["location"] == "/login/oauth?issuer=0&next=%2F"
        refused = await browser.get(await authorised(browser))
        assert refused.status_code == 403
        assert f"{USUAL}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure" in refused.headers.get_list("set-cookie")
        for number in ("", "1", "-1", "00", "x"):
            browser.client.cookies.set(USUAL, number)
            assert (await browser.get("/")).headers["location"] == "/login?next=%2F"


@pytest.mark.parametrize(
    ("ways", "in_form"),
    [(None, False), (["client_secret_post", "client_secret_basic"], False), (["client_secret_post"], True)],
    ids=["unsaid", "both", "post"],
)
async def test_a_secret_goes_the_way_the_provider_takes(
    idp: LoginProvider, clock: Clock, ways: list[str] | None, in_form: bool
) -> None:
    """[RFC 6749 section 2.3.1, RFC 8414 section 2] Basic where nothing is said."""
    idp.describe(token_endpoint_auth_methods_supported=ways)
    async with at(idp, clock, oauth=idp.oauth("s3cret")) as browser:
        assert (await browser.get(await authorised(browser))).status_code == 303
        assert (idp.fields[0] is None, "client_secret" in idp.sent[0]) == (in_form, in_form)


@pytest.mark.parametrize(
    ("names_itself", "answered", "cause"),
    [
        (False, {"state": "x" * 43}, "state"),
        (False, {"state": None}, "state"),
        (False, {"state": "ä"}, "state"),
        (False, {"iss": "https://evil.example"}, "issuer"),
        (False, {"iss": ""}, "issuer"),
        (True, {}, "issuer"),
        (False, {"code": None, "error": "access_denied", "error_description": "<b>no</b>"}, "denied"),
        (False, {"code": None, "error": "<b>server_error</b>"}, "provider"),
        (False, {"code": None}, "provider"),
        (False, {"code": "another"}, "code"),
        (True, {"code": None, "error": "access_denied"}, "issuer"),
    ],
    ids=lambda value: "-".join(value) or "none" if isinstance(value, dict) else None,
)
async def test_an_answer_that_does_not_fit_lets_nobody_in(
    idp: LoginProvider, clock: Clock, names_itself: bool, answered: dict[str, str | None], cause: str
) -> None:
    """[RFC 6749 section 10.12, RFC 9207 section 2.4] A sentence of ours says why, and the login can begin again."""
    idp.describe(authorization_response_iss_parameter_supported=names_itself)
    idp.answered = answered
    async with at(idp, clock) as browser:
        refused = await browser.get(await authorised(browser))
        assert refused.status_code == {"state": 400, "provider": 400}.get(cause, 403)
        assert dict(browser.denials.counts) == {f"login_{cause}": 1}
        assert SESSION not in browser.client.cookies
        assert "<b>" not in refused.text
        assert 'name="next" value="/skills/a"' in refused.text
        # A mismatch may be the work of another site: it must not end a login under way.
        assert (FLOW in browser.client.cookies) == (cause == "state")
        assert idp.issued == []


async def test_an_answer_that_names_its_issuer_is_taken(idp: LoginProvider, clock: Clock) -> None:
    """[RFC 9207 section 2.4]"""
    idp.describe(authorization_response_iss_parameter_supported=True)
    idp.answered = {"iss": idp.url}
    async with at(idp, clock) as browser:
        assert (await browser.get(await authorised(browser))).status_code == 303


async def test_a_login_is_good_for_one_browser_ten_minutes_and_one_answer(idp: LoginProvider, clock: Clock) -> None:
    """[RFC 9700 section 2.1] Nor does a code of one login do for another one, whoever began that."""
    async with at(idp, clock) as browser:
        first = await authorised(browser)
        cookies = dict(browser.client.cookies)
        browser.client.cookies.clear()
        assert (await browser.get(first)).status_code == 400
        second = await authorised(browser)
        assert (await browser.get(first)).status_code == 400
        stolen = urlencode({**_query(second), "code": _query(first)["code"]})
        assert (await browser.get(f"/login/callback?{stolen}")).status_code == 403
        assert idp.issued == []
        browser.client.cookies.update(cookies)
        clock.at += 600
        assert (await browser.get(first)).status_code == 400
        assert browser.denials.counts == {"login_state": 3, "login_code": 1}


async def test_the_seal_of_one_cookie_opens_no_other(idp: LoginProvider, clock: Clock) -> None:
    """[ours: the purpose is bound]"""
    async with at(idp, clock) as browser:
        back = await authorised(browser)
        browser.client.cookies.set(SESSION, browser.client.cookies[FLOW])
        assert (await browser.get("/")).status_code == 303
        browser.client.cookies.clear()
        assert (await browser.get(back)).status_code == 400


@pytest.mark.parametrize(
    ("claims", "status", "sentence"),
    [
        ({"aud": "https://other.example.com/mcp"}, 401, "The access token is meant for another audience."),
        ({"exp": NOW - 31}, 401, "The access token expired."),
        ({"scope": "other:scope"}, 403, "a scope is missing"),
        ({"padding": "x" * 4500}, 400, "too large for a cookie"),
    ],
    ids=["audience", "expired", "scope", "large"],
)
async def test_a_token_that_would_not_do_begins_no_session(
    idp: LoginProvider, clock: Clock, claims: dict[str, Any], status: int, sentence: str
) -> None:
    """[RFC 9068 section 4]"""
    idp.claims = claims
    async with at(idp, clock) as browser:
        refused = await browser.get(await authorised(browser))
        assert (refused.status_code, list(browser.client.cookies)) == (status, [])
        assert sentence in refused.text
        assert len(idp.issued) == 1


async def test_a_large_token_takes_two_cookies(idp: LoginProvider, clock: Clock) -> None:
    """[RFC 6265 section 6.1] Without the second one there is no session; a smaller token takes it away."""
    idp.claims = {"padding": "x" * 3000}
    async with at(idp, clock) as browser:
        await browser.get(await authorised(browser))
        sizes = {name: len(value) for name, value in browser.client.cookies.items()}
        assert list(sizes) == [SESSION, f"{SESSION}-2", USUAL]
        assert max(sizes.values()) <= 3800
        assert (await browser.get("/")).status_code == 200
        first = browser.client.cookies[SESSION]
        idp.claims = {}
        await browser.get(await authorised(browser))
        assert f"{SESSION}-2" not in browser.client.cookies
        browser.client.cookies.clear()
        browser.client.cookies.set(SESSION, first)
        assert (await browser.get("/")).status_code == 303


async def test_a_token_of_another_provider_is_not_taken(idp: LoginProvider, clock: Clock) -> None:
    """[RFC 9700 section 4.4 (mix-up)] Though it would do when it were pasted."""
    other = IdentityProvider()
    other.start()
    other.publish(jwk_of(key_of("rsa"), "k1", use="sig", alg="RS256"))
    try:
        idp.claims = {"iss": other.url}
        trusted = (idp.trusted(audiences=(RESOURCE,)), other.trusted(audiences=(RESOURCE,)))
        async with browsing(clock, issuers=trusted, oauth=idp.oauth()) as browser:
            refused = await browser.get(await authorised(browser))
            assert (refused.status_code, list(browser.client.cookies)) == (403, [])
            assert browser.denials.counts == {"login_issuer": 1}
            assert (await browser.log_in(idp.issued[0])).status_code == 303
    finally:
        other.stop()


@pytest.mark.parametrize(
    "document",
    [
        (503, {}, b""),
        (302, {"Location": "/elsewhere"}, b""),
        b"no JSON",
        b"x" * 300_000,
        {"token_type": "bearer"},
        {"access_token": "a.b.c", "token_type": "DPoP"},
        {"access_token": 7, "token_type": "bearer"},
        [],
    ],
    ids=["down", "redirect", "no-json", "large", "no-token", "dpop", "number", "list"],
)
async def test_a_token_endpoint_that_answers_oddly_is_a_provider_that_is_down(
    idp: LoginProvider, clock: Clock, document: Any
) -> None:
    """[ours] The page says so, and how to get in all the same."""
    async with at(idp, clock) as browser:
        back = await authorised(browser)
        idp.documents[TOKEN] = document
        refused = await browser.get(back)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert "The identity provider cannot be asked now." in refused.text
        assert idp.asked["/elsewhere"] == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": None},
        {"authorization_endpoint": "http://idp.example.com/authorize"},
        {"token_endpoint": "http://idp.example.com/token"},
        {"code_challenge_methods_supported": ["plain"]},
    ],
    ids=["issuer", "no-endpoint", "http", "http-token", "plain"],
)
async def test_a_provider_that_is_not_safe_to_log_in_at_is_not_used(
    idp: LoginProvider, clock: Clock, changes: dict[str, Any]
) -> None:
    """[RFC 8414 section 3.3, RFC 9700 section 2.1.1] What is asked for twice in a moment is asked once."""
    idp.describe(**changes)
    async with at(idp, clock) as browser:
        for _ in range(2):
            refused = await browser.get("/login/oauth?issuer=0&next=/skills/a")
            assert (refused.status_code, dict(browser.client.cookies)) == (503, {})
        assert idp.asked[OPENID] == 1
        assert (await browser.get("/login/oauth?issuer=1")).status_code == 400


async def test_a_silent_provider_holds_nobody_up(idp: LoginProvider, clock: Clock) -> None:
    """[ours] Neither before a login nor after it."""
    async with at(idp, clock, oauth=idp.oauth(timeout_s=0.2)) as browser:
        back = await authorised(browser)
        idp.is_silent = True
        assert (await browser.get(back)).status_code == 503
    async with at(idp, clock, oauth=idp.oauth(timeout_s=0.2)) as browser:
        assert (await browser.get("/login/oauth")).status_code == 503


async def test_nothing_that_is_secret_is_logged_or_in_a_url(
    idp: LoginProvider, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours] Of a code that was refused neither."""
    caplog.set_level(logging.DEBUG)
    async with at(idp, clock, oauth=idp.oauth("s3cret")) as browser:
        await browser.get(await authorised(browser))
        idp.answered = {"code": "another-code"}
        await browser.get(await authorised(browser))
        # Less what the test's own browser says, which is not the gateway's client.
        ours = [record for record in caplog.records if record.name.partition(".")[0] not in ("httpx", "httpcore")]
        logged = "".join(record.getMessage() for record in ours)
        assert "failed: the authorization code was refused (invalid_grant)" in logged
        secrets = [idp.issued[0], browser.client.cookies[SESSION], "another-code", "s3cret"]
        secrets += [value for form in idp.sent for value in (form["code"], form["code_verifier"])]
        assert [secret for secret in secrets if secret in logged] == []
        assert [path for path in idp.asked if idp.issued[0] in path or idp.sent[0]["code_verifier"] in path] == []


async def test_a_login_outlives_a_rotation(idp: LoginProvider, clock: Clock) -> None:
    """[ours: the ring of the cursors] Also on another replica, that has the keys in another order."""
    async with at(idp, clock) as browser:
        back = await authorised(browser)
        cookies = dict(browser.client.cookies)
    async with at(idp, clock, ring=(b"n" * 32, *RING), cookies=cookies) as browser:
        assert (await browser.get(back)).status_code == 303


def _query(path: str) -> dict[str, str]:
    return dict(parse_qsl(path.partition("?")[2]))
