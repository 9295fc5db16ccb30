"""The whole gateway under rules: what each principal sees by every method, and that hidden is as absent."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import pytest

from gateway.asgi import app_over
from gateway.auth.apikeys import make_api_key
from gateway.policy.table import parse_rule
from gateway.settings import Settings
from tests.auth.identity import KEYS, IdentityProvider, claims_of, key_of, signed
from tests.protocol.host import ERAS, Era, Host, serving
from tests.stores import MemoryBucket
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import skill_md

CI, CI_KEPT = make_api_key("ci", b"1" * 32)
DEV, DEV_KEPT = make_api_key("dev", b"2" * 32)
SKILLS = ("acme/billing", "acme/refunds", "open/hello", "plans/secret")
RULES: tuple[dict[str, object], ...] = (
    {"paths": ["open/**"]},
    {"paths": ["acme/*"], "groups": ["billing"]},
    {"paths": ["plans/**"], "keys": ["ci"]},
    {"paths": ["acme/refunds"], "scopes": ["refunds"]},
    {"paths": ["acme/billing"], "claims": {"org.team": ["money"]}},
)
HIDDEN, ABSENT = "plans/secret", "plans/nobody"


def bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def token_of(idp: IdentityProvider, **claims: Any) -> str:
    now = time.time()
    return signed(claims_of(idp.url, iat=now, exp=now + 600, **claims), key_of("rsa"))


@asynccontextmanager
async def gateway(bucket: MemoryBucket, **changes: Any) -> AsyncIterator[tuple[Host, CountingStore]]:
    for path in SKILLS:
        await bucket.put(f"{path}/SKILL.md", skill_md(path.rpartition("/")[2]))
        await bucket.put(f"{path}/docs/guide.md", b"guide of " + path.encode())
    settings = Settings(
        bucket="skills",
        page_size=1,
        public_url="https://skills.example.com",
        allowed_hosts="127.0.0.1:8000",
        cursor_keys=("k" * 32,),
        rules=tuple(map(parse_rule, RULES)),
        cache_scope="public",
        **changes,
    )
    store = CountingStore(bucket.store)
    async with serving(app_over(lambda: nullcontext(store), settings)) as host:
        yield host, store


def behind(idp: IdentityProvider) -> dict[str, Any]:
    return {
        "auth": "bearer",
        "auth_issuers": (idp.url,),
        "auth_keys_url": idp.url + KEYS,
        "api_keys": (CI_KEPT.line, DEV_KEPT.line),
    }


async def listed(host: Host, era: Era, method: str, headers: Mapping[str, str]) -> list[str]:
    uris: list[str] = []
    params: dict[str, Any] = {}
    while True:
        result = (await host.call(era, method, params, **headers)).result
        uris += [item["uri"] for item in result["skills" if method == "skills/list" else "resources"]]
        if "nextCursor" not in result:
            return uris
        params = {"cursor": result["nextCursor"]}


async def assert_sees(host: Host, era: Era, headers: Mapping[str, str], *paths: str) -> None:
    wanted = [f"skill://{path}/SKILL.md" for path in paths]
    for method in ("skills/list", "resources/list"):
        assert await listed(host, era, method, headers) == wanted
    for path in SKILLS:
        root, is_seen = f"skill://{path}", path in paths
        for method, uri in (
            ("skills/get", f"{root}/SKILL.md"),
            ("resources/read", f"{root}/docs/guide.md"),
            ("resources/directory/read", f"{root}/docs"),
        ):
            reply = await host.call(era, method, {"uri": uri}, **headers)
            assert ("result" in reply.message) is is_seen
            assert is_seen or reply.code == -32602


@pytest.mark.parametrize("era", ERAS)
async def test_each_principal_sees_what_its_rules_show(era: Era, idp: IdentityProvider) -> None:
    """[ours: deny by default] Asked twice: the second time most of it is in memory."""
    async with gateway(MemoryBucket(), **behind(idp)) as (host, _):
        for _ in range(2):
            await assert_sees(host, era, bearing(DEV), "open/hello")
            await assert_sees(host, era, bearing(CI), "open/hello", "plans/secret")
            billing = bearing(token_of(idp, groups=["billing"]))
            await assert_sees(host, era, billing, "acme/billing", "acme/refunds", "open/hello")
            refunds = bearing(token_of(idp, scope="skills:read refunds"))
            await assert_sees(host, era, refunds, "acme/refunds", "open/hello")
            money = bearing(token_of(idp, org={"team": "money"}))
            await assert_sees(host, era, money, "acme/billing", "open/hello")


@pytest.mark.parametrize("era", ERAS)
async def test_without_tokens_everybody_sees_what_is_for_everybody(era: Era) -> None:
    """[ours]"""
    settings = Settings(bucket="skills", rules=tuple(map(parse_rule, RULES[:1])), directory_read=True)
    bucket = MemoryBucket()
    for path in SKILLS:
        await bucket.put(f"{path}/SKILL.md", skill_md(path.rpartition("/")[2]))
        await bucket.put(f"{path}/docs/guide.md", b"guide")
    async with serving(app_over(bucket.open, settings)) as host:
        await assert_sees(host, era, {}, "open/hello")


@pytest.mark.parametrize("era", ERAS)
async def test_hidden_is_as_absent_byte_for_byte_and_asks_nobody(era: Era, idp: IdentityProvider) -> None:
    """[ours] Whoever may see it has just read it, so that it is in memory."""
    async with gateway(MemoryBucket(), **behind(idp)) as (host, store):
        await assert_sees(host, era, bearing(CI), "open/hello", HIDDEN)
        await host.call(era, "skills/list", **bearing(DEV))
        before = store.calls.total()
        for method, below in (
            ("skills/get", "/SKILL.md"),
            ("resources/read", "/SKILL.md"),
            ("resources/read", "/docs/guide.md"),
            ("resources/directory/read", ""),
            ("resources/directory/read", "/docs"),
        ):
            hidden, absent = [
                await host.call(era, method, {"uri": f"skill://{path}{below}"}, **bearing(DEV))
                for path in (HIDDEN, ABSENT)
            ]
            assert (hidden.status, hidden.text) == (absent.status, absent.text.replace(ABSENT, HIDDEN))
            assert hidden.code == -32602
        assert store.calls.total() == before


@pytest.mark.parametrize("era", ERAS)
async def test_grants_are_looked_at_on_every_page(era: Era, idp: IdentityProvider) -> None:
    """[ours] A cursor carries no authority: the principal is the same, the groups of its new token are not."""
    async with gateway(MemoryBucket(), **behind(idp)) as (host, _):
        member, stranger = bearing(token_of(idp, groups=["billing"])), bearing(token_of(idp))
        first = (await host.call(era, "skills/list", **member)).result
        assert [skill["uri"] for skill in first["skills"]] == ["skill://acme/billing/SKILL.md"]
        cursor = {"cursor": first["nextCursor"]}
        for _ in range(2):  # the second time from memory
            for headers, path in ((member, "acme/refunds"), (stranger, "open/hello")):
                page = (await host.call(era, "skills/list", cursor, **headers)).result
                assert [skill["uri"] for skill in page["skills"]] == [f"skill://{path}/SKILL.md"]


async def test_what_depends_on_the_caller_is_for_no_shared_cache(idp: IdentityProvider) -> None:
    """[SEP-2640] Whatever GATEWAY_CACHE_SCOPE says."""
    async with gateway(MemoryBucket(), **behind(idp)) as (host, _):
        for method, params in (("skills/list", {}), ("skills/get", {"uri": "skill://open/hello/SKILL.md"})):
            assert (await host.call("modern", method, params, **bearing(DEV))).result["cacheScope"] == "private"
