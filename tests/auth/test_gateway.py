"""The whole gateway behind bearer tokens: who gets in, by which door, and whose cursor is whose."""

import base64
import hmac
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gateway.asgi import app_over
from gateway.auth.apikeys import make_api_key
from gateway.settings import Settings
from tests.auth.identity import AUDIENCE, KEYS, IdentityProvider, claims_of, key_of, part, signed
from tests.protocol.host import ERAS, Era, Host, serving
from tests.stores import MemoryBucket
from tests.tree.trees import skill_md

CURSOR_KEY = "k" * 32
NOW = time.time()
CI, CI_KEPT = make_api_key("ci", b"1" * 32)
DEV, DEV_KEPT = make_api_key("dev", b"2" * 32)
WEAK, WEAK_KEPT = make_api_key("weak", b"3" * 32, ("other:scope",))
METADATA = "/.well-known/oauth-protected-resource/mcp"


def token_of(idp: IdentityProvider, **claims: Any) -> str:
    times = {"iat": NOW, "exp": NOW + 600, **claims}
    return signed(claims_of(idp.url, **times), key_of("rsa"))


def bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@asynccontextmanager
async def gateway(idp: IdentityProvider, **changes: Any) -> AsyncIterator[Host]:
    bucket = MemoryBucket()
    for name in ("a", "b", "c"):
        await bucket.put(f"{name}/SKILL.md", skill_md(name))
    settings = Settings(
        bucket="skills",
        page_size=1,
        public_url="https://skills.example.com",
        allowed_hosts="127.0.0.1:8000",
        cursor_keys=(CURSOR_KEY,),
        auth="bearer",
        auth_issuers=(idp.url,),
        auth_keys_url=idp.url + KEYS,
        api_keys=(CI_KEPT.line, DEV_KEPT.line, WEAK_KEPT.line),
        **changes,
    )
    async with serving(app_over(bucket.open, settings)) as host:
        yield host


@pytest.mark.parametrize("era", ERAS)
async def test_a_token_of_the_provider_and_an_api_key_get_in_also_past_the_fast_lane(
    era: Era, idp: IdentityProvider
) -> None:
    """[RFC 6750] The second answer comes from memory."""
    async with gateway(idp) as host:
        for token in (token_of(idp), CI):
            for _ in range(2):
                reply = await host.call(era, "skills/list", **bearing(token))
                assert [skill["uri"] for skill in reply.result["skills"]] == ["skill://a/SKILL.md"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"aud": "https://other.example.com/mcp"}, 401),
        ({"exp": NOW - 31}, 401),
        ({"nbf": NOW + 300}, 401),
        ({"iss": "https://idp.example.com"}, 401),
        ({"scope": "other:scope"}, 403),
        ({"scope": None}, 403),
        ({"scope": None, "scp": ["skills:read"]}, 200),
        ({"aud": ["x", AUDIENCE]}, 200),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
async def test_what_a_token_says_decides(era: Era, idp: IdentityProvider, claims: dict[str, Any], status: int) -> None:
    """[RFC 9068] Also when the answer is in memory."""
    async with gateway(idp) as host:
        await host.call(era, "skills/list", **bearing(CI))
        reply = await host.call(era, "skills/list", **bearing(token_of(idp, **claims)))
        assert reply.status == status
        if status != 200:
            challenge = reply.headers["www-authenticate"]
            assert f'resource_metadata="https://skills.example.com{METADATA}"' in challenge
            assert 'scope="skills:read"' in challenge


def unsigned(idp: IdentityProvider) -> str:
    claims = claims_of(idp.url, iat=NOW, exp=NOW + 600)
    return f"{part({'alg': 'none', 'typ': 'at+jwt'})}.{part(claims)}."


def signed_with_the_public_key(idp: IdentityProvider) -> str:
    pem = key_of("rsa").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    told = f"{part({'alg': 'HS256', 'kid': 'k1'})}.{part(claims_of(idp.url, iat=NOW, exp=NOW + 600))}"
    return f"{told}.{base64.urlsafe_b64encode(hmac.digest(pem, told.encode(), 'sha256')).rstrip(b'=').decode()}"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "make",
    [
        lambda idp: "garbage",
        lambda idp: "a.b.c",
        unsigned,
        signed_with_the_public_key,
        lambda idp: token_of(idp) + "A" * 64 * 1024,
        lambda idp: signed(claims_of(idp.url, iat=NOW, exp=NOW + 600), key_of("rsa", 1)),
        lambda idp: signed(claims_of(idp.url, iat=NOW, exp=NOW + 600), key_of("rsa"), "withdrawn"),
        lambda idp: token_of(idp, iss=f"{idp.url}/"),
    ],
    ids=["garbage", "three-parts", "none", "hs256", "64-kib", "another-key", "withdrawn-key", "slash"],
)
async def test_what_is_no_good_token_is_refused(era: Era, idp: IdentityProvider, make: Callable[[Any], str]) -> None:
    """[RFC 6750 section 3.1] With an answer in memory that a good one would get."""
    async with gateway(idp) as host:
        await host.call(era, "skills/list", **bearing(token_of(idp)))
        reply = await host.call(era, "skills/list", **bearing(make(idp)))
        assert reply.status == 401
        assert 'error="invalid_token"' in reply.headers["www-authenticate"]
        assert "skills" not in reply.text


@pytest.mark.parametrize("era", ERAS)
async def test_without_a_token_nothing_but_health_and_metadata_is_told(era: Era, idp: IdentityProvider) -> None:
    """[RFC 9728] The metadata is for everybody, whatever the Origin."""
    async with gateway(idp) as host:
        for method in ("skills/list", "resources/list", "initialize", "server/discover", "nothing"):
            assert (await host.call(era, method)).status == 401
        assert (await host.client.get("/readyz")).status_code == 200
        metadata = await host.client.get(METADATA, headers={"Origin": "https://browser.example"})
        assert metadata.json()["resource"] == "https://skills.example.com/mcp"
        assert metadata.json()["authorization_servers"] == [idp.url]
        assert metadata.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("era", ERAS)
async def test_a_cursor_of_another_principal_is_refused(era: Era, idp: IdentityProvider) -> None:
    """[ours: cursors are bound to issuer, client and subject]"""
    async with gateway(idp) as host:
        tokens = [CI, DEV, token_of(idp), token_of(idp, sub="bob"), token_of(idp, client_id="other")]
        first = await host.call(era, "skills/list", **bearing(CI))
        cursor = {"cursor": first.result["nextCursor"]}
        for _ in range(2):  # the second time from memory
            replies = [await host.call(era, "skills/list", cursor, **bearing(token)) for token in tokens]
            assert [skill["uri"] for skill in replies[0].result["skills"]] == ["skill://b/SKILL.md"]
            assert [reply.code for reply in replies[1:]] == [-32602] * 4


async def test_an_api_key_without_the_scope_is_forbidden(idp: IdentityProvider) -> None:
    """[RFC 6750 section 3.1]"""
    async with gateway(idp) as host:
        reply = await host.call("modern", "skills/list", **bearing(WEAK))
        assert reply.status == 403
        assert 'error="insufficient_scope"' in reply.headers["www-authenticate"]


async def test_with_the_provider_down_api_keys_still_work(idp: IdentityProvider) -> None:
    """[ours]"""
    idp.stop()
    async with gateway(idp) as host:
        assert (await host.call("modern", "skills/list", **bearing(token_of(idp)))).status == 503
        assert (await host.call("modern", "skills/list", **bearing(CI))).status == 200
