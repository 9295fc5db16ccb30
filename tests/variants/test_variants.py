"""Variants: each a view of its own at a path of its own, by grant, and by `_meta` where that is switched on."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gateway.asgi import app_over
from gateway.auth.apikeys import make_api_key
from gateway.policy.table import parse_rule
from gateway.releases.repository import Repository
from gateway.settings import Settings
from tests.protocol.host import ERAS, Era, Host, headers_of, serving, with_meta
from tests.releases.stored import Skill, publish
from tests.stores import MemoryBucket
from tests.tree.trees import skill_md

CI, CI_KEPT = make_api_key("ci", b"1" * 32)
DEV, DEV_KEPT = make_api_key("dev", b"2" * 32)
KEY = "io.modelcontextprotocol/server-variant"
EXTENSION = "io.modelcontextprotocol/server-variants"
INVALID = -32602


@asynccontextmanager
async def gateway(**changes: Any) -> AsyncIterator[tuple[Host, dict[str, Host]]]:
    """The default endpoint, and those of the variants: a channel, a pinned release, and a tree under a mount."""
    bucket = MemoryBucket()
    repository = Repository(bucket.store, "of/")
    old = await publish(repository, [Skill("kit", "Old."), Skill("more", "Old.")], channel="beta")
    await publish(repository, [Skill("kit", "Stable."), Skill("more", "Stable.")])
    await publish(repository, [Skill("kit", "Beta."), Skill("more", "Beta.")], channel="beta")
    await bucket.put("live/notes/SKILL.md", skill_md("notes"))
    variants = {
        "beta": {"channel": "beta", "description": "What comes next.", "status": "experimental"},
        "pinned": {"release": old.id},
        "live": {"prefix": "live/", "source": "tree", "mount": "acme"},
    }
    settings = Settings(
        bucket="skills",
        prefix="of/",
        page_size=1,
        cursor_keys=("k" * 32,),
        variants=variants,
        cache_ttl_ms=9,
        **changes,
    )
    async with serving(app_over(bucket.open, settings)) as host:
        yield host, {name: Host(host.client, endpoint=f"/mcp/{name}") for name in variants}


async def first(host: Host, era: Era, **headers: str) -> tuple[str, str]:
    """URI and description of the first skill, which is asked for twice: the second time it is in memory."""
    replies = [(await host.call(era, "skills/list", **headers)).result["skills"][0] for _ in range(2)]
    assert replies[0] == replies[1]
    return replies[0]["uri"], replies[0]["frontmatter"]["description"]


@pytest.mark.parametrize("era", ERAS)
async def test_each_variant_has_its_own_skills_at_its_own_path(era: Era) -> None:
    """[ours] A channel, a release that is pinned, a tree elsewhere."""
    async with gateway() as (host, variants):
        assert await first(host, era) == ("skill://kit/SKILL.md", "Stable.")
        assert await first(variants["beta"], era) == ("skill://kit/SKILL.md", "Beta.")
        assert await first(variants["pinned"], era) == ("skill://kit/SKILL.md", "Old.")
        assert (await first(variants["live"], era))[0] == "skill://acme/notes/SKILL.md"
        uri = {"uri": "skill://acme/notes/SKILL.md"}
        assert (await host.call(era, "resources/read", uri)).code == INVALID
        assert "result" in (await variants["live"].call(era, "resources/read", uri)).message
        assert (await Host(host.client, endpoint="/mcp/nothing").call(era, "skills/list")).status == 404


async def test_clients_keep_nothing_of_a_variant() -> None:
    """[SEP-2053] They keep answers by URI, which is the same in every variant."""
    async with gateway() as (host, variants):
        for view, ttl_ms in ((host, 9), (variants["beta"], 0)):
            for _ in range(2):
                assert (await view.call("modern", "skills/list")).result["ttlMs"] == ttl_ms


@pytest.mark.parametrize("era", ERAS)
async def test_a_cursor_of_another_variant_is_refused(era: Era) -> None:
    """[ours] As any other cursor that is no good, as long as clients cannot choose."""
    async with gateway() as (host, variants):
        views = (host, *variants.values())
        cursors = [(await view.call(era, "skills/list")).result.get("nextCursor") for view in views]
        for view, own in zip(views, cursors, strict=True):
            for cursor in (cursor for cursor in cursors if cursor is not None):
                reply = await view.call(era, "skills/list", {"cursor": cursor})
                if cursor == own:
                    assert "result" in reply.message
                else:
                    assert reply.error == {
                        "code": INVALID,
                        "message": "Invalid or expired cursor; start again without one",
                    }


def choosing(variant: object, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {**(params or {}), "_meta": {KEY: variant}}


@pytest.mark.parametrize("era", ERAS)
async def test_a_request_may_choose_where_that_is_switched_on(era: Era) -> None:
    """[SEP-2053] On the default endpoint; the key is never answered from memory as if it were not there."""
    async with gateway(variant_meta=True) as (host, variants):
        await first(host, era)
        for name, description in (("default", "Stable."), ("beta", "Beta."), ("pinned", "Old.")):
            skills = (await host.call(era, "skills/list", choosing(name))).result["skills"]
            assert skills[0]["frontmatter"]["description"] == description
        own = (await variants["beta"].call(era, "skills/list", choosing("beta"))).result["skills"]
        assert own[0]["frontmatter"]["description"] == "Beta."


SPELLINGS: dict[str, Callable[[str], bytes]] = {
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "NaN": lambda text: text.replace('"@"', "NaN").encode(),
    "a lone surrogate": lambda text: text.replace('"@"', '"\\ud800"').encode(),
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_the_key_is_seen_in_every_body_that_is_answered(era: Era, spelling: str) -> None:
    """[ours] The SDK reads JSON that our own parser refuses; whoever asks for one variant never gets another."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "skills/list",
        "params": with_meta(era, choosing("beta")) | {"x": "@"},
    }
    body = SPELLINGS[spelling](json.dumps(message))
    async with gateway(variant_meta=True) as (host, _):
        reply = await host.send(body, headers_of(era, "skills/list"))
        answered = [skill["frontmatter"]["description"] for skill in reply.message.get("result", {}).get("skills", ())]
        assert answered in ([], ["Beta."])
        assert answered or "error" in reply.message
    async with gateway() as (host, _):
        assert "error" in (await host.send(body, headers_of(era, "skills/list"))).message


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("wanted", ["nothing", "", 7, None, ["beta"], {"a": 1}], ids=repr)
async def test_a_variant_that_is_not_there_is_refused_with_those_that_are(era: Era, wanted: object) -> None:
    """[SEP-2053] The exact error, for every method."""
    async with gateway(variant_meta=True) as (host, variants):
        for method in ("skills/list", "resources/list", "resources/templates/list"):
            error = (await host.call(era, method, choosing(wanted))).error
            assert error == {
                "code": INVALID,
                "message": "Invalid server variant",
                "data": {"requestedVariant": wanted, "availableVariants": ["default", "beta", "pinned", "live"]},
            }
        error = (await variants["beta"].call(era, "skills/list", choosing("pinned"))).error
        assert error["data"] == {"requestedVariant": "pinned", "availableVariants": ["beta"]}


@pytest.mark.parametrize("era", ERAS)
async def test_where_it_is_switched_off_the_key_is_refused(era: Era) -> None:
    """[SEP-2053] So that nobody takes the default variant for the one it asked for."""
    async with gateway() as (host, _):
        await first(host, era)
        error = (await host.call(era, "skills/list", choosing("beta"))).error
        assert error == {"code": INVALID, "message": "Server variants not supported"}


@pytest.mark.parametrize("era", ERAS)
async def test_a_cursor_of_another_variant_is_refused_by_name_to_who_may_choose(era: Era) -> None:
    """[SEP-2053]"""
    async with gateway(variant_meta=True) as (host, _):
        cursor = (await host.call(era, "skills/list")).result["nextCursor"]
        error = (await host.call(era, "skills/list", choosing("beta", {"cursor": cursor}))).error
        assert error == {
            "code": INVALID,
            "message": "Cursor invalid for requested variant",
            "data": {"cursorVariant": "default", "requestedVariant": "beta"},
        }


@pytest.mark.parametrize("era", ERAS)
async def test_variants_are_declared_where_clients_may_choose(era: Era) -> None:
    """[SEP-2053] The default one first."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    method, asked = ("server/discover", {}) if era == "modern" else ("initialize", params)
    async with gateway(variant_meta=True) as (host, _):
        told = (await host.call(era, method, asked)).result["capabilities"]["extensions"][EXTENSION]
        assert told["moreVariantsAvailable"] is False
        assert [variant["id"] for variant in told["availableVariants"]] == ["default", "beta", "pinned", "live"]
        beta = {"id": "beta", "description": "What comes next.", "status": "experimental"}
        assert told["availableVariants"][1] == beta
    async with gateway() as (host, _):
        assert EXTENSION not in (await host.call(era, method, asked)).result["capabilities"]["extensions"]


@pytest.mark.parametrize("era", ERAS)
async def test_rules_say_who_gets_which_variant(era: Era) -> None:
    """[ours] By grant on the default endpoint; a variant that no rule shows is empty there, and unknown by name."""
    rules = (
        {"paths": ["**"], "keys": ["dev"], "variants": ["beta", "default"], "default_variant": "beta"},
        {"paths": ["kit"], "keys": ["ci"], "variants": ["default"]},
    )
    access = {
        "auth": "bearer",
        "api_keys": (CI_KEPT.line, DEV_KEPT.line),
        "rules": tuple(map(parse_rule, rules)),
        "variant_meta": True,
    }
    async with gateway(**access) as (host, variants):
        dev, ci = ({"Authorization": f"Bearer {token}"} for token in (DEV, CI))
        assert await first(host, era, **dev) == ("skill://kit/SKILL.md", "Beta.")
        assert await first(host, era, **ci) == ("skill://kit/SKILL.md", "Stable.")
        assert (await variants["beta"].call(era, "skills/list", **ci)).result["skills"] == []
        error = (await host.call(era, "skills/list", choosing("beta"), **ci)).error
        assert error["data"] == {"requestedVariant": "beta", "availableVariants": ["default"]}
        chosen = (await host.call(era, "skills/list", choosing("default"), **dev)).result["skills"]
        assert chosen[0]["frontmatter"]["description"] == "Stable."
