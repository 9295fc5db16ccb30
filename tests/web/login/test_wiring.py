"""When there is a login at all, and the settings of one."""

from typing import Any

import httpx
import pytest

from gateway.asgi import app_over
from gateway.auth.codeflow import CodeClient
from gateway.errors import SettingsError
from gateway.settings import Settings, load_settings
from gateway.web.login.options import LoginOptions, OAuthOptions
from gateway.wiring import login_options
from tests.protocol.host import serving
from tests.stores import MemoryBucket
from tests.web.login.browser import HTML, KEPT, KEY, RING

ISSUER = "https://idp.example.com"
KNOWN = {"auth": "bearer", "auth_issuers": (ISSUER,), "public_url": "https://skills.example.com:443"}


@pytest.mark.parametrize(
    ("settled", "status"),
    [
        ({"auth": "bearer", "api_keys": (KEPT.line,)}, 200),
        ({"auth": "bearer", "api_keys": (KEPT.line,), "page": False}, 401),
        ({"auth": "none"}, 404),
    ],
    ids=["bearer", "no-page", "open"],
)
async def test_there_is_a_login_where_there_is_a_page_that_is_not_for_everybody(
    settled: dict[str, Any], status: int
) -> None:
    """[ours] With the settings of the gateway itself, under its other layers."""
    settings = Settings(bucket="skills", cursor_keys=(RING[0].decode(),), **settled)
    async with serving(app_over(MemoryBucket().open, settings)) as host:
        assert (await host.client.get("/login", headers=HTML)).status_code == status
        if status == 200:
            told = {"Origin": "http://127.0.0.1:8000"}
            entered = await host.client.post("/login", data={"token": KEY}, headers=told)
            assert entered.headers.get_list("set-cookie")[0].startswith("skills_session=")
            assert "Max-Age=43200" in entered.headers.get_list("set-cookie")[0]


async def test_attempts_count_like_all_other_requests() -> None:
    """[RFC 6585 section 4] Whoever guesses keys is slowed down."""
    settings = Settings(
        bucket="skills",
        cursor_keys=(RING[0].decode(),),
        auth="bearer",
        api_keys=(KEPT.line,),
        rate_per_address=3,
    )
    async with serving(app_over(MemoryBucket().open, settings)) as host:
        seen: list[httpx.Response] = [
            await host.client.post("/login", data={"token": "x"}, headers={"Origin": "http://127.0.0.1:8000"})
            for _ in range(11)
        ]
        assert [answer.status_code for answer in seen] == [401] * 10 + [429]


def test_settings_become_a_login() -> None:
    """[ours] The scopes of tokens are asked for, unless the provider spells them otherwise."""
    settings = Settings(bucket="skills", **KNOWN, page_client_id="gateway", page_client_secret="s3cret")
    client = CodeClient(
        "gateway",
        "https://skills.example.com:443/login/callback",
        "https://skills.example.com:443/mcp",
        ("skills:read",),
        "s3cret",
    )
    made = login_options(settings, RING)
    assert (made.public_origin, made.is_secure, made.session_s) == ("https://skills.example.com", True, 43_200)
    assert made.oauth == OAuthOptions(client, (ISSUER,))
    asked = Settings(bucket="skills", **KNOWN, page_client_id="gateway", page_scopes="api://skills/skills:read")
    oauth = login_options(asked, RING).oauth
    assert oauth is not None
    assert (oauth.client.scopes, oauth.client.secret) == (("api://skills/skills:read",), "")


def test_what_is_secret_is_not_in_a_representation() -> None:
    """[ours]"""
    client = CodeClient("gateway", "https://a/login/callback", "https://a/mcp", (), "s3cret")
    shown = repr(LoginOptions(paths=login_options(Settings(bucket="skills"), RING).paths, keys=RING))
    assert "s3cret" not in repr(OAuthOptions(client, (ISSUER,)))
    assert RING[0].decode() not in shown


@pytest.mark.parametrize(
    ("settled", "told"),
    [
        ({"page_client_id": "gateway", "auth": "none"}, "needs GATEWAY_AUTH_ISSUERS"),
        ({"page_client_id": "gateway", **KNOWN, "public_url": None}, "needs GATEWAY_PUBLIC_URL"),
        ({**KNOWN, "page_client_secret": "s3cret"}, "needs GATEWAY_PAGE_CLIENT_ID"),
        (
            {**KNOWN, "page_client_id": "a", "auth_issuers": f"{ISSUER},{ISSUER}/b", "page_client_secret": "s3cret"},
            "is for exactly one of GATEWAY_AUTH_ISSUERS",
        ),
        ({"path": "/login"}, "is a path that answers something else"),
        ({"path": "/login/mcp"}, "is a path that answers something else"),
        ({"page_session_s": 10}, "needs a whole number from 60 to 2592000"),
    ],
    ids=["no-issuer", "no-url", "no-client", "two-issuers", "path", "path-below", "short"],
)
def test_a_login_that_could_not_work_stops_the_start(settled: dict[str, Any], told: str) -> None:
    """[ours] The secret is not shown."""
    with pytest.raises(SettingsError, match=told) as refused:
        load_settings(bucket="skills", **settled)
    assert "s3cret" not in str(refused.value)
