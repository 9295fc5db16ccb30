"""The discovery index: what the draft says, whom it tells what, and what it costs.

The draft is Agent Skills Discovery via Well-Known URIs, 0.2.0 of 2026-03-12.
"""

import asyncio
from hashlib import sha256
from typing import Any

import httpx
import pytest

from gateway.auth.apikeys import make_api_key
from gateway.downloads.index import MAX_SKILLS
from gateway.errors import CursorRefused, NotServed, StoreUnavailable
from gateway.policy.table import parse_rule
from gateway.provider import Caller, EntryPage, Page
from gateway.skill.model import SkillEntry, SkillPath
from tests.audit.kept import kept
from tests.downloads.gateways import FILES, INDEX, Told, client_of, contents_of, gateway, told
from tests.protocol.host import headers_of, with_meta
from tests.protocol.providers import dynamic_entry, static_entry

CI, CI_KEPT = make_api_key("ci", b"1" * 32)


def digest_of_answer(answer: httpx.Response) -> str:
    return "sha256:" + sha256(answer.content).hexdigest()


async def test_the_index_lists_each_skill_with_a_url_and_the_digest_of_what_is_there() -> None:
    """[draft, Discovery Index] One file alone is that file; an archive has SKILL.md at its root."""
    async with gateway() as client:
        index = await client.get(INDEX)
        archive = await client.get("/.well-known/agent-skills/acme/refunds.zip")
        single = await client.get("/.well-known/agent-skills/single/SKILL.md")
    assert index.headers["content-type"] == "application/json"
    assert index.json() == {
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            {
                "name": "refunds",
                "type": "archive",
                "description": "Does it.",
                "url": "/.well-known/agent-skills/acme/refunds.zip",
                "digest": digest_of_answer(archive),
            },
            {
                "name": "single",
                "type": "skill-md",
                "description": "Does it.",
                "url": "/.well-known/agent-skills/single/SKILL.md",
                "digest": digest_of_answer(single),
            },
        ],
    }
    assert archive.headers["content-type"] == "application/zip"
    assert next(iter(contents_of(archive.content))) == "SKILL.md"
    assert (single.headers["content-type"], single.content) == (
        "text/markdown; charset=utf-8",
        FILES["single/SKILL.md"],
    )


async def test_the_index_and_a_file_alone_are_known_by_their_etags() -> None:
    """[RFC 9110 section 13.1.2; draft, HTTP Considerations: HEAD]"""
    async with gateway(freshness_s=0) as client:
        for url in (INDEX, "/.well-known/agent-skills/single/SKILL.md"):
            got, head = await client.get(url), await client.head(url)
            again = await client.get(url, headers={"If-None-Match": got.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            assert dict(head.headers) == dict(got.headers)
            assert int(head.headers["content-length"]) == len(got.content)


async def test_nothing_is_told_without_a_token() -> None:
    """[ours] The well-known path is no way around it, while that of OAuth discovery stays open."""
    keys = {"auth": "bearer", "api_keys": (CI_KEPT.line,), "public_url": "http://127.0.0.1:8000"}
    async with gateway(**keys) as client:
        for path in (INDEX, "/.well-known/agent-skills/single/SKILL.md", "/skills/single.zip", "/skills/nobody.zip"):
            for verb in ("GET", "HEAD", "OPTIONS"):
                refused = await client.request(verb, path)
                assert (refused.status_code, "www-authenticate" in refused.headers) == (401, True)
        for path in (INDEX, "/skills/single.zip"):
            assert (await client.get(path, headers={"Authorization": f"Bearer {CI}"})).status_code == 200
        for name in ("oauth-authorization-server", "openid-configuration/mcp", "oauth-protected-resource/x"):
            assert (await client.get(f"/.well-known/{name}")).status_code == 404
        assert (await client.get("/.well-known/oauth-protected-resources")).status_code == 401


async def test_each_caller_gets_an_index_of_what_it_may_see() -> None:
    """[ours] Kept for who sees the same, and for nobody else."""
    rules = (parse_rule({"paths": ["single"]}), parse_rule({"paths": ["acme/**"], "keys": ["ci"]}))
    dev, dev_kept = make_api_key("dev", b"2" * 32)
    keys = {"auth": "bearer", "api_keys": (CI_KEPT.line, dev_kept.line), "public_url": "http://127.0.0.1:8000"}
    async with gateway(rules=rules, cache_scope="public", **keys) as client:
        seen = []
        for key in (CI, dev, CI, dev):
            answer = await client.get(INDEX, headers={"Authorization": f"Bearer {key}"})
            seen.append(([skill["name"] for skill in answer.json()["skills"]], answer.headers["cache-control"]))
    assert seen == [(["refunds", "single"], "private, no-cache"), (["single"], "private, no-cache")] * 2


@pytest.mark.parametrize(
    ("auth", "scope"), [({}, "public"), ({"auth": "bearer", "api_keys": (CI_KEPT.line,)}, "private")]
)
async def test_what_needs_a_token_is_for_no_shared_cache(auth: dict[str, Any], scope: str) -> None:
    """[RFC 9111 section 3.5] A cache that others share would give it to who has none; over MCP too."""
    headers = {"Authorization": f"Bearer {CI}"}
    async with gateway(cache_scope="public", public_url="http://127.0.0.1:8000", **auth) as client:
        for address in (INDEX, "/skills/single.zip"):
            assert (await client.get(address, headers=headers)).headers["cache-control"] == f"{scope}, no-cache"
        request = {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": with_meta("modern", {})}
        headers |= headers_of("modern", "skills/list", {})
        answer = await client.post("/mcp", json=request, headers=headers)
        assert answer.json()["result"]["cacheScope"] == scope


async def test_what_cannot_be_listed_is_named_with_its_reason() -> None:
    """[ours: nothing is dropped in silence; draft: clients pass over fields they do not know]"""
    both = [told({"x": path.encode()}, path) for path in ("a/same", "b/same")]
    entries = (
        *(one.entries[0] for one in both),
        *(static_entry(path) for path in ("ok", "a/twin", "b/twin")),
        dynamic_entry("live"),
        static_entry("odd", {"NUL": b""}),
    )
    async with client_of(Told(entries, contents={**both[0].contents, **both[1].contents})) as client:
        index = (await client.get(INDEX)).json()
    paths = [skill["url"].removeprefix("/.well-known/agent-skills/") for skill in index["skills"]]
    assert paths == ["ok/SKILL.md", "a/twin/SKILL.md"]
    assert [(one["path"], one["reason"][:23]) for one in index["omitted"]] == [
        ("a/same", "Another skill has the s"),
        ("b/same", "Another skill has the s"),
        ("b/twin", "The same skill is liste"),
        ("live", "This skill has no manif"),
        ("odd", "The file 'NUL' cannot b"),
    ]


async def test_a_path_with_odd_letters_is_a_url_that_leads_there() -> None:
    """[RFC 3986 section 2.1]"""
    provider = told({"b": b"b"}, "ä %2F?#/a")
    async with client_of(provider) as client:
        (skill,) = (await client.get(INDEX)).json()["skills"]
        assert digest_of_answer(await client.get(skill["url"])) == skill["digest"]


async def test_the_digest_of_an_archive_is_found_once_for_as_long_as_its_manifest_stands() -> None:
    """[ours] It costs a read of every file; an index that is made again costs none."""
    provider = told({"b": b"b", "c": b"c"})
    async with client_of(provider, freshness_s=0) as client:
        first = await client.get(INDEX)
        assert sorted(provider.reads) == ["SKILL.md", "b", "c"]
        assert (await client.get(INDEX)).content == first.content
        assert len(provider.reads) == 3
        changed = told({"b": b"b", "c": b"C"})
        provider.entries, provider.contents = changed.entries, changed.contents
        assert (await client.get(INDEX)).json()["skills"] != first.json()["skills"]
        assert len(provider.reads) == 6


async def test_an_index_that_takes_too_long_gets_further_each_time() -> None:
    """[ours] 503 until every digest is known."""
    names = [f"s{number:02}" for number in range(8)]
    read = {name: asyncio.Event() for name in names}

    class Slow(Told):
        async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Any:
            await read[path].wait()
            return await super().read(path, file_path, caller)

    each = [told({"b": b"b"}, name) for name in names]
    contents = {key: content for one in each for key, content in one.contents.items()}
    provider = Slow(tuple(one.entries[0] for one in each), contents=contents)
    async with client_of(provider, timeout_s=0.3) as client:
        answers = []
        for half in (names[:0], names[:4], names[4:]):
            for name in half:
                read[name].set()
            answers.append(await client.get(INDEX))
    statuses = [(answer.status_code, answer.headers.get("retry-after")) for answer in answers]
    assert statuses == [(503, "1"), (503, "1"), (200, None)]
    assert [skill["name"] for skill in answers[-1].json()["skills"]] == names
    assert len(provider.reads) == 16


async def test_more_skills_than_one_document_holds_are_not_listed_by_half() -> None:
    """[ours]"""

    class Endless(Told):
        async def list(self, page: Page, caller: Caller) -> EntryPage:
            start = int(page.position or 0)
            found = tuple(_renamed(start + number) for number in range(page.limit))
            return EntryPage(found, str(start + page.limit))

    async with client_of(Endless()) as client:
        answer = await client.get(INDEX)
    assert (answer.status_code, str(MAX_SKILLS) in answer.json()["error_description"]) == (507, True)


async def test_a_store_that_is_down_gives_no_index() -> None:
    """[ours] Nor one with less in it."""

    async def read(name: str) -> bytes:
        raise StoreUnavailable("down")

    async with client_of(told({"b": b"b"}, read=read)) as client:
        answer = await client.get(INDEX)
    assert (answer.status_code, answer.json()) == (
        503,
        {"error_description": "Storage is unavailable; try again later"},
    )


async def test_what_is_replaced_while_the_index_is_made_is_asked_for_again() -> None:
    """[ours] No index is of two moments: neither of two pages, nor of a manifest and other files."""

    class Replaced(Told):
        async def list(self, page: Page, caller: Caller) -> EntryPage:
            if page.position is not None:
                raise CursorRefused("release_gone")
            return EntryPage(self.entries, "more")

    async def gone(name: str) -> bytes:
        raise NotServed(name)

    for provider in (Replaced((static_entry("a"),)), told({"b": b"b"}, read=gone)):
        async with client_of(provider) as client:
            answer = await client.get(INDEX)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


async def test_every_download_is_one_line_of_the_audit() -> None:
    """[ours] What was sent, and what was asked for in vain."""
    with kept() as audit:
        async with client_of(told({"b": b"b"}), audit.journal) as client:
            archive = await client.get("/skills/a.zip")
            await client.head("/skills/a.zip")
            head = await client.get("/.well-known/agent-skills/a/SKILL.md")
            await client.get("/skills/nobody.zip")
            await client.get(INDEX)
    line = {"variant": "", "method": "download"}
    root = "/.well-known/agent-skills"
    assert audit.told == [
        line
        | {"uri": "/skills/a.zip", "result": "ok", "digest": digest_of_answer(archive), "bytes": len(archive.content)},
        line | {"uri": "/skills/a.zip", "result": "ok"},
        line
        | {"uri": f"{root}/a/SKILL.md", "result": "ok", "digest": digest_of_answer(head), "bytes": len(head.content)},
        line | {"uri": "/skills/nobody.zip", "result": "not_served"},
        line | {"uri": INDEX, "result": "ok", "items": 1},
    ]


def _renamed(number: int) -> SkillEntry:
    return static_entry(f"s{number}")
