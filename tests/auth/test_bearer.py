"""The layer in front of an app: who gets in, what the others are told, and what is told to everybody."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from mcp.server.auth.middleware.auth_context import get_access_token
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from gateway.auth.apikeys import make_api_key
from gateway.auth.authenticator import Authenticator, AuthOptions
from gateway.auth.resource import ProtectedResource
from gateway.provider import Caller, EntryPage, Page
from gateway.web.bearer import Bearer
from tests.auth.identity import NOW, Clock, IdentityProvider, jwk_of, key_of
from tests.protocol.host import BASE_URL, Era, Host
from tests.protocol.providers import Answering, app_of

MCP = ProtectedResource("/mcp", "https://gw.example.com/mcp", ("https://idp.example.com",))
METADATA = "/.well-known/oauth-protected-resource/mcp"
WHERE = 'resource_metadata="https://gw.example.com/.well-known/oauth-protected-resource/mcp"'
SCOPE = 'scope="skills:read"'


async def whoami(scope: Scope, receive: Receive, send: Send) -> None:
    """Says what an app can know of its caller."""
    token = get_access_token()
    user = scope.get("user")
    told = None if token is None else [token.token, token.client_id, token.subject, token.scopes, token.resource]
    seen = {"told": told, "user": user and user.principal.subject, "scopes": user and scope["auth"].scopes}
    await JSONResponse(seen)(scope, receive, send)


@asynccontextmanager
async def calling(
    idp: IdentityProvider, clock: Clock, resources: Sequence[ProtectedResource] = (MCP,), app: Any = whoami
) -> AsyncIterator[httpx.AsyncClient]:
    async with idp.authenticator(clock).opened() as authenticator:
        bearer = Bearer(app, authenticator, resources, {"/livez"})
        async with httpx.AsyncClient(transport=httpx.ASGITransport(bearer), base_url=BASE_URL) as client:
            yield client


def bearing(token: str, scheme: str = "Bearer") -> dict[str, str]:
    return {"Authorization": f"{scheme} {token}"}


async def test_a_good_token_is_let_in_and_goes_no_further(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 6750 section 2.1] The scheme has no case. Nobody is left behind for the next request."""
    async with calling(idp, clock) as client:
        for scheme in ("Bearer", "bearer", "BEARER", "Bearer  "):
            answer = await client.post("/mcp", headers=bearing(idp.token(), scheme))
            assert answer.json() == {
                "told": ["", "host", "alice", ["skills:read"], "https://gw.example.com/mcp"],
                "user": "alice",
                "scopes": ["skills:read"],
            }
        assert (await client.get("/livez")).json() == {"told": None, "user": None, "scopes": None}
    assert get_access_token() is None


@pytest.mark.parametrize("headers", [{}, {"Authorization": ""}, {"Authorization": "Basic eDp5"}, bearing("x", "Bear")])
async def test_a_request_without_a_token_is_told_where_to_get_one_and_no_error(
    idp: IdentityProvider, clock: Clock, headers: dict[str, str]
) -> None:
    """[RFC 6750 section 3.1, RFC 9728 section 5.1]"""
    async with calling(idp, clock) as client:
        answer = await client.post("/mcp", headers=headers)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, f"Bearer {WHERE}, {SCOPE}")
    assert "error" not in answer.json()


@pytest.mark.parametrize(
    ("token", "description"),
    [
        ("", "The access token is malformed"),
        ("x y", "The access token is malformed"),
        ('"', "The access token is malformed"),
        ("garbage", "The access token is malformed"),
        ("a" * 65_536, "The access token is too long"),
        ("skg_" + "a" * 65_536, "The access token is too long"),
    ],
)
async def test_a_bad_token_is_invalid(idp: IdentityProvider, clock: Clock, token: str, description: str) -> None:
    """[RFC 6750 section 3]"""
    async with calling(idp, clock) as client:
        answer = await client.post("/mcp", headers=bearing(token))
    expected = f'Bearer error="invalid_token", error_description="{description}", {WHERE}, {SCOPE}'
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, expected)
    assert answer.json() == {"error": "invalid_token", "error_description": description}


async def test_a_token_that_expired_is_told_so(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 6750 section 3] Also one that was let in before."""
    async with calling(idp, clock) as client:
        assert (await client.post("/mcp", headers=bearing(idp.token()))).status_code == 200
        clock.at = NOW + 631
        answer = await client.post("/mcp", headers=bearing(idp.token()))
    assert answer.json() == {"error": "invalid_token", "error_description": "The access token expired"}


async def test_a_token_in_the_query_or_the_body_is_none(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 6750 section 5.3]"""
    async with calling(idp, clock) as client:
        query = await client.post("/mcp", params={"access_token": idp.token()})
        body = await client.post("/mcp", data={"access_token": idp.token()})
    assert (query.status_code, body.status_code) == (401, 401)


async def test_two_authorization_fields_are_a_bad_request_though_both_are_good(
    idp: IdentityProvider, clock: Clock
) -> None:
    """[RFC 6750 section 3.1]"""
    async with calling(idp, clock) as client:
        answer = await client.post("/mcp", headers=[*bearing(idp.token()).items()] * 2)
    challenge = answer.headers["www-authenticate"]
    assert (answer.status_code, 'error="invalid_request"' in challenge) == (400, True)


@pytest.mark.parametrize("scope", [None, "skills", "skills:read:all", ["skills:read skills:read"]])
async def test_a_token_without_the_scope_is_forbidden(
    idp: IdentityProvider, clock: Clock, scope: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """[RFC 6750 section 3.1, MCP Authorization] The log names the scope."""
    caplog.set_level(logging.INFO, "gateway.web.bearer")
    async with calling(idp, clock) as client:
        answer = await client.post("/mcp", headers=bearing(idp.token(scope=scope)))
    assert "a bearer token was refused: insufficient_scope, it lacks skills:read" in caplog.messages
    text = "The access token lacks a scope that is needed here"
    expected = f'Bearer error="insufficient_scope", error_description="{text}", {WHERE}, {SCOPE}'
    assert (answer.status_code, answer.headers["www-authenticate"]) == (403, expected)


@pytest.mark.parametrize("claims", [{"scope": ["skills:read"]}, {"scope": None, "scp": ["x", "skills:read"]}])
async def test_a_scope_in_a_list_is_one(idp: IdentityProvider, clock: Clock, claims: dict[str, Any]) -> None:
    """[ours]"""
    async with calling(idp, clock) as client:
        assert (await client.post("/mcp", headers=bearing(idp.token(**claims)))).status_code == 200


async def test_a_provider_that_is_down_is_no_fault_of_the_token(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 9110 section 15.6.4]"""
    idp.stop()
    async with calling(idp, clock) as client:
        answer = await client.post("/mcp", headers=bearing(idp.token()))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "www-authenticate" not in answer.headers
    assert idp.url not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/mcp/", "/MCP", "//mcp", "/nothing", "/livez/", "/livez/../mcp", "/mcp/canary", "/%2Ewell-known"),
        *("/.well-known/agent-skills/index.json", "/.well-known/", "/.well-known/openid-configurations"),
    ],
)
async def test_whatever_is_not_open_is_closed(idp: IdentityProvider, clock: Clock, path: str) -> None:
    """[ours]"""
    async with calling(idp, clock) as client:
        for verb in ("GET", "POST", "DELETE", "OPTIONS", "HEAD"):
            assert (await client.request(verb, path)).status_code == 401


async def test_metadata_is_for_everybody(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 9728 sections 3.1 and 3.2]"""
    async with calling(idp, clock) as client:
        got, head = await client.get(METADATA, headers={"Origin": "https://a.example"}), await client.head(METADATA)
        asked = await client.options(METADATA)
        posted = await client.post(METADATA)
    assert got.json() == {
        "resource": "https://gw.example.com/mcp",
        "authorization_servers": ["https://idp.example.com"],
        "scopes_supported": ["skills:read"],
        "bearer_methods_supported": ["header"],
    }
    statuses = (got.status_code, head.status_code, asked.status_code, posted.status_code)
    assert statuses == (200, 200, 204, 405)
    assert {answer.headers["access-control-allow-origin"] for answer in (got, head, asked)} == {"*"}
    assert got.headers["content-type"] == "application/json"


async def test_each_endpoint_has_metadata_of_its_own(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 9728 section 3.1] A prefix that a proxy takes off stands behind the well-known path."""
    canary = ProtectedResource(
        "/mcp/canary", "https://gw.example.com/x/mcp/canary", ("https://idp.example.com",), (), ()
    )
    async with calling(idp, clock, (MCP, canary)) as client:
        challenge = (await client.post("/mcp/canary")).headers["www-authenticate"]
        url = "https://gw.example.com/.well-known/oauth-protected-resource/x/mcp/canary"
        assert challenge == f'Bearer resource_metadata="{url}"'
        found = await client.get(url.removeprefix("https://gw.example.com"))
        assert found.json()["resource"] == canary.url
        assert (await client.post("/mcp/canary", headers=bearing(idp.token(scope=None)))).status_code == 200


@pytest.mark.parametrize(
    ("url", "path"),
    [("https://gw.example.com/", ""), ("https://gw.example.com", ""), ("https://gw.example.com/a/", "/a/")],
)
def test_the_well_known_path_goes_between_host_and_path(url: str, path: str) -> None:
    """[RFC 9728 section 3.1] Only a slash right behind the host is taken off."""
    resource = ProtectedResource("/", url, ("https://idp.example.com",))
    assert resource.metadata_path == "/.well-known/oauth-protected-resource" + path
    assert resource.metadata_url == "https://gw.example.com/.well-known/oauth-protected-resource" + path


@pytest.mark.parametrize("changes", [{"url": "/mcp"}, {"url": 'https://a/"'}, {"url": "https://a/?b"}])
def test_what_cannot_stand_in_a_challenge_is_refused(changes: dict[str, Any]) -> None:
    """[RFC 9110 section 5.6.4]"""
    with pytest.raises(ValueError, match=r"no URL of a resource|between quotes"):
        ProtectedResource(**{"path": "/mcp", "url": "https://a/mcp", **changes})


async def test_with_api_keys_alone_there_is_no_metadata(clock: Clock) -> None:
    """[MCP Authorization] It would have to name an authorization server."""
    text, kept = make_api_key("ci", bytes(32))
    authenticator = Authenticator(AuthOptions(api_keys=(kept,)), clock=clock)
    bearer = Bearer(whoami, authenticator, [ProtectedResource("/mcp", "https://gw.example.com/mcp")])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(bearer), base_url=BASE_URL) as client:
        assert (await client.post("/mcp")).headers["www-authenticate"] == f"Bearer {SCOPE}"
        assert (await client.post("/mcp", headers=bearing(text))).json()["told"][1:3] == ["ci", "ci"]
    assert bearer.metadata_paths == frozenset()


async def test_the_app_receives_through_the_very_same_channel(idp: IdentityProvider, clock: Clock) -> None:
    """[ours] The lane knows a body that the guard has read by its type."""
    seen: list[object] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(receive)

    async def receive() -> Message:
        raise AssertionError("nobody reads the body here")

    async def send(message: Message) -> None:
        seen.append(message)

    headers = [(b"authorization", f"Bearer {idp.token()}".encode())]
    async with idp.authenticator(clock).opened() as authenticator:
        bearer = Bearer(app, authenticator, [MCP])
        scope = {"type": "http", "path": "/mcp", "method": "POST", "headers": headers}
        await bearer(scope, receive, send)
        await bearer({"type": "websocket", "path": "/livez", "headers": headers}, receive, send)
    assert seen == [receive, {"type": "websocket.close", "code": 1008}]
    assert scope.keys() == {"type", "path", "method", "headers"}


async def test_nothing_of_a_token_is_logged_or_told(
    idp: IdentityProvider, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours]"""
    caplog.set_level(logging.DEBUG)
    tokens = [idp.token(aud="other"), idp.token(key_of("rsa", 1)), idp.token(kid="secret-kid"), idp.token(scope=None)]
    async with calling(idp, clock) as client:
        answers = [await client.post("/mcp", headers=bearing(token)) for token in tokens]
    told = caplog.text + "".join(answer.text + str(answer.headers) for answer in answers)
    causes = [record.getMessage() for record in caplog.records if record.name == "gateway.web.bearer"]
    whys = ("audience", "signature", "unknown_key", "insufficient_scope, it lacks skills:read")
    assert causes == [f"a bearer token was refused: {why}" for why in whys]
    for token in tokens:
        assert not [piece for piece in token.split(".") if piece in told]
    assert "secret-kid" not in told


class Noting(Answering):
    """Notes who asks."""

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        return self._answer("list", caller, EntryPage(()))


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_the_handlers_are_told_who_calls(idp: IdentityProvider, clock: Clock, era: Era) -> None:
    """[SDK: the access token in the context of the request] Two callers at a time are two."""
    provider = Noting()
    app = app_of(provider)
    idp.publish(jwk_of(key_of("rsa"), "k1"))
    async with app.router.lifespan_context(app) as state:

        async def started(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "state": dict(state or {})}, receive, send)

        async with calling(idp, clock, app=started) as client:
            host = Host(client)
            for subject in ("alice", "bob"):
                reply = await host.call(era, "skills/list", **bearing(idp.token(sub=subject)))
                assert reply.result["skills"] == []
            assert (await host.call(era, "skills/list")).status == 401
    assert provider.asked == [("list", Caller(idp.url, "host", subject)) for subject in ("alice", "bob")]
