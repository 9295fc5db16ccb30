"""Tools and prompts: what they tell, to whom, and what a model may do wrong."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.asgi import app_over
from gateway.auth.apikeys import make_api_key
from gateway.policy.table import parse_rule
from gateway.protocol.prompts import prompt_name
from gateway.protocol.survey import Question, survey
from gateway.provider import Caller
from gateway.settings import Settings
from gateway.skill.model import digest_of
from tests.protocol.host import ERAS, EXTENSION, Era, Host, Reply, headers_of, serving, with_meta
from tests.protocol.providers import Shelf, adapter_of, static_entry
from tests.stores import MemoryBucket
from tests.tree.trees import skill_md

KEY, KEPT = make_api_key("ci", b"1" * 32)
BEARER = {"Authorization": f"Bearer {KEY}"}
TREE = {
    "acme/refunds/SKILL.md": skill_md("refunds", "Pay.\r\n", "Pays it back."),
    "acme/refunds/a b.md": "Text \u2026\r\n".encode(),
    "acme/refunds/raw.bin": bytes(range(256)),
    "hr/refunds/SKILL.md": skill_md("refunds", "", "The same name."),
    "kit/SKILL.md": skill_md("kit", "", "Builds a kit."),
}
INITIALIZE = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t", "version": "1"}}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
DECLARED = {"extensions": {EXTENSION: {}}}


@asynccontextmanager
async def gateway(objects: Mapping[str, bytes] = TREE, **changes: Any) -> AsyncIterator[Host]:
    bucket = MemoryBucket()
    for key, data in objects.items():
        await bucket.put(key, data)
    known = {"allow_binary": True, "page_size": 2, "tools": "auto", "prompts": "auto"}
    made = Settings(bucket="skills", cursor_keys=("k" * 32,), **(known | changes))
    async with serving(app_over(bucket.open, made)) as host:
        yield host


async def call(host: Host, era: Era, tool: str, arguments: Any = None, **headers: str) -> Reply:
    params = {"name": tool} | ({} if arguments is None else {"arguments": arguments})
    return await host.call(era, "tools/call", params, **headers)


def told(reply: Reply) -> str:
    """The sentence of a result that says what was wrong."""
    assert reply.result["isError"] is True, reply.text
    return reply.result["content"][0]["text"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_skill_is_found_by_uri_path_or_a_name_that_only_it_has(era: Era) -> None:
    """[ours] A name of two skills is told with both paths."""
    async with gateway() as host:
        for said in ("kit", "skill://kit", "skill://kit/SKILL.md", "kit/SKILL.md", "/kit/"):
            reply = await call(host, era, "load_skill", {"skill": said})
            assert reply.result["content"][0]["text"].encode() == TREE["kit/SKILL.md"]
        reply = await call(host, era, "load_skill", {"skill": "acme/refunds"})
        assert "- a b.md (10 bytes, text/markdown)" in reply.result["content"][1]["text"]
        said = told(await call(host, era, "load_skill", {"skill": "refunds"}))
        assert "acme/refunds, hr/refunds" in said


async def test_a_name_that_was_not_looked_for_everywhere_is_not_said_to_be_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[ours] A catalogue may be longer than one look; a path is found however long it is."""
    monkeypatch.setattr("gateway.protocol.survey.SEEN_AT_MOST", 2)
    async with gateway() as host:
        said = told(await call(host, "modern", "load_skill", {"skill": "none"}))
        assert "among the first 2" in said
        assert "path" in said
        assert "isError" not in (await call(host, "modern", "load_skill", {"skill": "hr/refunds"})).result


@pytest.mark.parametrize("era", ERAS)
async def test_files_are_read_as_they_are(era: Era) -> None:
    """[ours] Text as text, all else as a resource in base64."""
    async with gateway() as host:
        text = await call(host, era, "read_skill_file", {"skill": "acme/refunds", "file": "a b.md"})
        assert text.result["content"] == [{"type": "text", "text": "Text \u2026\r\n"}]
        binary = await call(host, era, "read_skill_file", {"skill": "acme/refunds", "file": "raw.bin"})
        resource = binary.result["content"][0]["resource"]
        assert resource["uri"] == "skill://acme/refunds/raw.bin"
        assert resource["mimeType"] == "application/octet-stream"
        assert len(resource["blob"]) == 344


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("load_skill", None, "load_skill needs the argument 'skill'"),
        ("load_skill", {"skill": ""}, "load_skill needs the argument 'skill'"),
        ("load_skill", {"skill": 7}, "load_skill: 'skill' must be a text"),
        ("load_skill", {"skill": "none"}, "No skill 'none' is served here; list_skills"),
        ("load_skill", {"skill": "../etc"}, "No skill '../etc' is served here"),
        ("load_skill", {"skill": "skill://a\x00b/SKILL.md"}, "has '\\x00' in a segment"),
        ("load_skill", {"skill": "kit", "path": "x"}, "load_skill has no argument 'path'; it takes: skill"),
        ("read_skill_file", {"skill": "kit"}, "read_skill_file needs the argument 'file'"),
        ("read_skill_file", {"skill": "kit", "file": "none.md"}, "No file with this URI is served here"),
        ("read_skill_file", {"skill": "kit", "file": "../acme/refunds/SKILL.md"}, "has a '..' segment"),
        ("read_skill_file", {"skill": "kit", "file": "a/"}, "has an empty segment"),
        ("list_skills", {"query": "x" * 201}, "'query' has 201 characters, at most 200 are taken"),
        ("list_skills", {"cursor": "x"}, "The cursor is no longer good; call list_skills again without one."),
    ],
)
async def test_what_a_model_does_wrong_is_told_as_a_result(era: Era, tool: str, arguments: Any, sentence: str) -> None:
    """[SEP-1303] With what to do."""
    async with gateway() as host:
        assert sentence in told(await call(host, era, tool, arguments))


async def test_a_lone_surrogate_is_wrong_and_no_fault_of_ours() -> None:
    """[RFC 8259 8.2] It has no UTF-8 form. On handshake revisions the SDK takes it for no JSON."""
    async with gateway() as host:
        for tool, arguments in (("load_skill", {}), ("read_skill_file", {"file": "a"})):
            said = told(await call(host, "modern", tool, {**arguments, "skill": "\ud800"}))
            assert "No skill '\\ud800' is served here" in said
        said = told(await call(host, "modern", "read_skill_file", {"skill": "kit", "file": "a/\ud800"}))
        assert "has '\\ud800' in a segment" in said


@pytest.mark.parametrize("era", ERAS)
async def test_who_declares_the_extension_sees_no_fallbacks(era: Era) -> None:
    """[ours] In `auto`; not in `always`, and nobody sees any that are off."""
    for shown, count in (("auto", 0), ("always", 3), ("off", None)):
        async with gateway(tools=shown, prompts=shown) as host:
            if era == "modern":
                capabilities = (await _declaring(host, "server/discover")).result["capabilities"]
                tools = await _declaring(host, "tools/list")
                prompts = await _declaring(host, "prompts/list")
                used = await _declaring(host, "tools/call", {"name": "list_skills"})
            else:
                started = await host.call(era, "initialize", INITIALIZE | {"capabilities": DECLARED})
                capabilities = started.result["capabilities"]
                session = {"Mcp-Session-Id": started.headers["mcp-session-id"]} if shown == "auto" else {}
                assert shown == "auto" or "mcp-session-id" not in started.headers
                tools = await host.call(era, "tools/list", **session)
                prompts = await host.call(era, "prompts/list", **session)
                used = await call(host, era, "list_skills", **session)
            assert ("tools" in capabilities, "prompts" in capabilities) == (shown == "always", shown == "always")
            assert EXTENSION in capabilities["extensions"]
            if count is None:
                assert (tools.code, prompts.code, used.code) == (-32601, -32601, -32601)
            else:
                assert len(tools.result["tools"]) == count
                assert bool(prompts.result["prompts"]) == bool(count)
                assert ("error" in used.message) == (count == 0)


async def _declaring(host: Host, method: str, params: Mapping[str, Any] | None = None) -> Reply:
    """A modern request that declares the extension."""
    asked = with_meta("modern", params)
    asked["_meta"][CAPABILITIES] = DECLARED
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": asked}
    return await host.send(json.dumps(message).encode(), headers_of("modern", method, asked))


@pytest.mark.parametrize("era", ERAS)
async def test_who_declares_nothing_sees_them_and_finds_all_skills(era: Era) -> None:
    """[ours]"""
    async with gateway() as host:
        method, params = (
            ("server/discover", {}) if era == "modern" else ("initialize", INITIALIZE | {"capabilities": {}})
        )
        started = await host.call(era, method, params)
        assert {"tools", "prompts"} <= set(started.result["capabilities"])
        assert "mcp-session-id" not in started.headers
        found = (await call(host, era, "list_skills")).result["structuredContent"]["skills"]
        assert [skill["path"] for skill in found] == ["acme/refunds", "hr/refunds", "kit"]
        for folder, paths in (("acme", ["acme/refunds"]), ("/hr/", ["hr/refunds"]), ("kit", []), ("ac", [])):
            below = (await call(host, era, "list_skills", {"folder": folder})).result["structuredContent"]["skills"]
            assert [skill["path"] for skill in below] == paths


async def test_rules_hold_for_tools_and_prompts() -> None:
    """[ours] What is hidden is answered as what is absent; the cursor of another caller is no good."""
    rules = (parse_rule({"paths": ["acme/**"], "keys": ["ci"]}),)
    other, kept = make_api_key("other", b"2" * 32)
    keys = (KEPT.line, kept.line)
    async with gateway(auth="bearer", api_keys=keys, rules=rules) as host:
        listed = await call(host, "modern", "list_skills", **BEARER)
        assert [skill["path"] for skill in listed.result["structuredContent"]["skills"]] == ["acme/refunds"]
        hidden = told(await call(host, "modern", "load_skill", {"skill": "kit"}, **BEARER))
        absent = told(await call(host, "modern", "load_skill", {"skill": "kat"}, **BEARER))
        assert hidden.replace("kit", "kat") == absent
        assert (await call(host, "modern", "load_skill", {"skill": "refunds"}, **BEARER)).result["content"]
        prompts = (await host.call("modern", "prompts/list", **BEARER)).result["prompts"]
        assert [prompt["name"] for prompt in prompts] == ["acme:refunds"]
        hidden = (await host.call("modern", "prompts/get", {"name": "kit"}, **BEARER)).error
        absent = (await host.call("modern", "prompts/get", {"name": "kat"}, **BEARER)).error
        assert json.dumps(hidden).replace("kit", "kat") == json.dumps(absent)
        nobody = await call(host, "modern", "list_skills", Authorization=f"Bearer {other}")
        assert nobody.result["structuredContent"]["skills"] == []


async def test_calls_are_lines_of_the_audit(tmp_path: Path) -> None:
    """[ours] With the file that was sent, and the reason of what was refused."""
    audit = tmp_path / "audit"
    async with gateway(audit=str(audit)) as host:
        await call(host, "modern", "load_skill", {"skill": "kit"})
        await call(host, "modern", "load_skill", {"skill": "none"})
        await call(host, "modern", "list_skills")
        await host.call("modern", "prompts/get", {"name": "kit"})
    lines = [json.loads(line) for line in audit.read_bytes().splitlines()]
    uri, digest = "skill://kit/SKILL.md", digest_of(TREE["kit/SKILL.md"])
    assert [(line["method"], line["uri"], line["digest"], line["items"], line["result"]) for line in lines] == [
        ("tools/call", uri, digest, None, "ok"),
        ("tools/call", None, None, None, "not_served"),
        ("tools/call", None, None, 3, "ok"),
        ("prompts/get", uri, digest, None, "ok"),
    ]


@settings(max_examples=15, deadline=None)
@given(names=st.sets(st.from_regex(r"[a-c]{1,3}", fullmatch=True), max_size=12), enough=st.integers(1, 4))
async def test_a_search_that_goes_on_finds_every_skill_once(names: set[str], enough: int) -> None:
    """[ours] However short its answers are."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gateway.protocol.tools._ENOUGH", enough)
        async with gateway({f"{name}/SKILL.md": skill_md(name, "", "A skill.") for name in names}) as host:
            found, arguments = list[str](), {"query": "a"}
            for _ in range(30):
                result = (await call(host, "modern", "list_skills", arguments)).result["structuredContent"]
                found += [skill["name"] for skill in result["skills"]]
                if "nextCursor" not in result:
                    break
                arguments = {"query": "a", "cursor": result["nextCursor"]}
                other = await call(host, "modern", "list_skills", arguments | {"query": "b"})
                assert "no longer good" in told(other)
        assert found == sorted(names)


async def test_others_are_answered_while_a_catalogue_in_memory_is_looked_through() -> None:
    """[ours] One search may look at 5,000 skills, and what is in memory comes without a wait."""
    adapter = adapter_of(Shelf(tuple(static_entry(f"skill-{number:03}") for number in range(120))), page_size=10)
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    waiting = asyncio.create_task(other())
    found = await survey(adapter, Caller(), Question("none"), enough=1)
    waiting.cancel()
    assert found.seen == 120
    assert turns >= 10


def test_names_of_prompts_are_unique_and_lead_back() -> None:
    """[ours] Also where segments have the separator in them."""
    assert prompt_name("acme/billing/refunds") == "acme:billing:refunds"
    assert prompt_name("a:b/c d/kit") == "a%3Ab:c%20d:kit"
