"""Fail closed: whatever a provider does wrong is `-32603` with a fixed text, and its cause is in the log alone."""

import datetime
import json
import logging
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from gateway.errors import (
    AccessDenied,
    BucketMissing,
    ClockSkew,
    ContentChanged,
    GatewayError,
    ProviderFault,
    StoreMisbehaved,
    StoreThrottled,
    StoreUnavailable,
    WrongRegion,
)
from gateway.provider import Child, Content, DirectoryPage, EntryPage
from gateway.skill.model import Digest, SkillEntry, SkillFile, SkillPath
from tests.protocol.host import Era, Reply
from tests.protocol.providers import Answering, Silent, Slow, adapter_of, dynamic_entry, host_of, static_entry

INTERNAL = {"code": -32603, "message": "Internal error"}
STORAGE_DOWN = {"code": -32603, "message": "Storage is unavailable; try again later"}
GOOD = static_entry("a")
DYNAMIC = dynamic_entry("a")
FILE = SkillFile("f.md", 1, Digest("sha256:" + "0" * 64), "text/markdown")


def with_files(*files: SkillFile) -> SkillEntry:
    return replace(GOOD, files=(*(GOOD.files or ()), *files))


def with_field(name: str, value: Any) -> SkillEntry:
    return replace(GOOD, frontmatter={**GOOD.frontmatter, name: value})


BAD_ENTRIES: dict[str, tuple[SkillEntry, str]] = {
    "a path with ..": (static_entry("../a"), "has a '..' segment"),
    "a path with an empty segment": (static_entry("x//a"), "has an empty segment"),
    "a path with a backslash": (static_entry("x\\/a"), "a backslash"),
    "no name": (with_field("name", None), "no 'name'"),
    "another name": (with_field("name", "b"), "rename one of them"),
    "no description": (with_field("description", " "), "description"),
    "no SKILL.md": (replace(GOOD, files=(FILE,)), "no SKILL.md in its manifest"),
    "a file twice": (with_files(FILE, FILE), "lists the file 'f.md' twice"),
    "a file with ..": (with_files(replace(FILE, path="../f.md")), "has a '..' segment"),
    "a file with a slash in front": (with_files(replace(FILE, path="/etc/passwd")), "has an empty segment"),
    "a file that is a directory": (with_files(FILE, replace(FILE, path="f.md/g")), "both as a file and as a directory"),
    "a digest in upper case": (with_files(replace(FILE, digest=Digest("sha256:" + "A" * 64))), "digest"),
    "a short digest": (with_files(replace(FILE, digest=Digest("sha256:0"))), "digest"),
    "a negative size": (with_files(replace(FILE, size=-1)), "size -1"),
    "a size that is a boolean": (with_files(replace(FILE, size=True)), "size True"),
    "a field with a lone surrogate": (with_field("x", ["\ud800"]), "has a lone surrogate"),
    "a field name with a lone surrogate": (with_field("\ud800", 1), "has a lone surrogate"),
    "a field that is no number": (with_field("x", {"y": float("nan")}), "has nan, which is no JSON"),
    "a field without end": (with_field("x", float("inf")), "has inf, which is no JSON"),
    "a field with a number for a name": (with_field("x", {1: 2}), "has a field 1"),
    "a field with a date": (with_field("x", datetime.date(2026, 1, 1)), "which is no JSON"),
    "a field with bytes": (with_field("x", b"\xff"), "which is no JSON"),
}

BAD_PAGES: dict[str, tuple[EntryPage, str]] = {
    "too many": (EntryPage((static_entry("a"), static_entry("b"), static_entry("c"))), "asked for 2 items"),
    "one entry twice": (EntryPage((GOOD, GOOD)), "lists 'a' twice"),
    "an empty position": (EntryPage((GOOD,), ""), "a position is a non-empty text"),
    "a position that is no text": (EntryPage((GOOD,), 7), "a position is a non-empty text"),  # type: ignore[arg-type]
    "a position that is too long": (EntryPage((GOOD,), "p" * 7000), "too long for a cursor"),
    "a position with a lone surrogate": (EntryPage((GOOD,), "\ud800"), "unexpected error"),
    "no page": (None, "unexpected error"),  # type: ignore[dict-item]
    "no entries": (EntryPage((None,)), "unexpected error"),  # type: ignore[arg-type]
}

BAD_CHILDREN: dict[str, tuple[tuple[Child, ...], str]] = {
    "a slash": ((Child("x/y", False, 1),), "(a slash"),
    "..": ((Child("..", True),), "has a '..' segment"),
    ".": ((Child(".", True),), "has a '.' segment"),
    "no name": ((Child("", False, 1),), "has an empty segment"),
    "NUL": ((Child("\x00", False, 1),), "'\\x00' in a segment"),
    "a lone surrogate": ((Child("\ud800", False, 1),), "'\\ud800' in a segment"),
    "one child twice": ((Child("x", False, 1), Child("x", True)), "lists 'x' twice"),
    "a negative size": ((Child("x", False, -1),), "has size -1"),
    "a size that is a boolean": ((Child("x", False, True),), "has size True"),
    "a size with a fraction": ((Child("x", False, 1.5),), "has size 1.5"),  # type: ignore[arg-type]
    "a size in words": ((Child("x", False, "1"),), "has size '1'"),  # type: ignore[arg-type]
    "a directory with a size": ((Child("x", True, 1),), "is a directory with a size"),
    "a type that is none": ((Child("x", False, 1, "text"),), "has the media type 'text'"),
    "a type that no JSON carries": ((Child("x", False, 1, "text/\ud800"),), "has the media type"),
    "too many": (tuple(Child(name, True) for name in "xyz"), "asked for 2 items"),
}

BAD_TYPES = ["", "text", "text/\ud800", "text/plain\nx: y", "text/é", None, 7]

METHODS: list[tuple[str, dict[str, Any]]] = [
    ("skills/list", {}),
    ("resources/list", {}),
    ("skills/get", {"uri": "skill://a/SKILL.md"}),
    ("resources/read", {"uri": "skill://a/SKILL.md"}),
    ("resources/directory/read", {"uri": "skill://a"}),
]


def assert_is(reply: Reply, error: dict[str, Any]) -> None:
    """The whole answer, so that nothing else of the provider can be in it."""
    assert (reply.status, reply.message) == (200, {"jsonrpc": "2.0", "id": 1, "error": error})


@pytest.mark.parametrize("name", BAD_PAGES)
async def test_a_bad_page_is_an_internal_error(name: str, era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    page, cause = BAD_PAGES[name]
    async with host_of(Answering(listed=page), page_size=2) as host:
        assert_is(await host.call(era, "skills/list"), INTERNAL)
        assert_is(await host.call(era, "resources/list"), INTERNAL)
    assert cause in caplog.text


@pytest.mark.parametrize("name", BAD_ENTRIES)
async def test_a_bad_entry_is_an_internal_error(name: str, era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[ours] Never half a page: the good entry next to it is not sent either."""
    entry, cause = BAD_ENTRIES[name]
    provider = Answering(EntryPage((static_entry("b"), entry)), got=replace(entry, path=SkillPath("a")))
    async with host_of(provider) as host:
        assert_is(await host.call(era, "skills/list"), INTERNAL)
        assert_is(await host.call(era, "resources/list"), INTERNAL)
        if entry.path == "a":
            for method, params in METHODS[2:]:
                assert_is(await host.call(era, method, params), INTERNAL)
    assert cause in caplog.text


async def test_a_position_that_comes_back_is_an_internal_error(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[ours] The client would page for ever."""
    async with host_of(Answering(EntryPage((GOOD,), "same"), DYNAMIC, directory=DirectoryPage((), "same"))) as host:
        for method, params in [METHODS[0], METHODS[1], METHODS[4]]:
            first = await host.call(era, method, params)
            assert_is(await host.call(era, method, {**params, "cursor": first.result["nextCursor"]}), INTERNAL)
    assert caplog.text.count("the listing would never end") == 3


async def test_an_entry_of_another_path_is_an_internal_error(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    async with host_of(Answering(got=static_entry("x/a"), got_for_all=True)) as host:
        for method, params in METHODS[2:]:
            assert_is(await host.call(era, method, params), INTERNAL)
    assert caplog.text.count("asked for 'a', the provider returned 'x/a'") == 3


@pytest.mark.parametrize("name", BAD_CHILDREN)
async def test_a_bad_child_is_an_internal_error(name: str, era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    children, cause = BAD_CHILDREN[name]
    async with host_of(Answering(got=DYNAMIC, directory=DirectoryPage(children)), page_size=2) as host:
        assert_is(await host.call(era, "resources/directory/read", {"uri": "skill://a"}), INTERNAL)
    assert cause in caplog.text


@pytest.mark.parametrize("media_type", BAD_TYPES)
async def test_content_with_a_bad_type_is_an_internal_error(media_type: Any, era: Era) -> None:
    """[ours]"""
    async with host_of(Answering(got=GOOD, content=Content(b"x", media_type), allow_binary=True)) as host:
        assert_is(await host.call(era, "resources/read", {"uri": "skill://a/SKILL.md"}), INTERNAL)


async def test_a_dynamic_skill_nobody_announced_is_an_internal_error(
    era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours] A provider that said it serves none, and so has no read_directory."""

    class Liar:
        serves_dynamic = False
        namespaces = ("",)

        async def list(self, *_: Any) -> EntryPage:
            return EntryPage((DYNAMIC,))

        async def get(self, *_: Any) -> SkillEntry:
            return DYNAMIC

        async def read(self, *_: Any) -> Content:
            return Content(b"", "text/plain")

    async with host_of(Liar()) as host:
        assert_is(await host.call(era, "resources/directory/read", {"uri": "skill://a"}), INTERNAL)
    assert "'a' is dynamic and its provider cannot list directories" in caplog.text


def test_dynamic_skills_without_directories_do_not_start() -> None:
    """[ours] "The server refuses to start otherwise"."""

    class NoDirectories:
        serves_dynamic = True
        namespaces = ("",)

        async def list(self, *_: Any) -> EntryPage: ...
        async def get(self, *_: Any) -> None: ...
        async def read(self, *_: Any) -> Content: ...

    with pytest.raises(ValueError, match="it needs read_directory"):
        adapter_of(NoDirectories())
    assert adapter_of(NoDirectories(), directory_read=False).options.directory_read is False


def a_validation_error() -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(int).validate_python("SECRET")
    return raised.value


UNEXPECTED: dict[str, Exception] = {
    "a ValidationError, which the SDK takes for the client's fault": a_validation_error(),
    "any exception, whose text the SDK sends on 2025-11-25": RuntimeError("SECRET"),
    "a KeyError": KeyError("SECRET"),
    "a group": ExceptionGroup("SECRET", [ValueError("SECRET")]),
    "a fault of the provider": ProviderFault("SECRET"),
    "content that keeps changing": ContentChanged("SECRET"),
    "the root of our errors": GatewayError("SECRET"),
}


@pytest.mark.parametrize("name", UNEXPECTED)
async def test_what_a_provider_raises_never_reaches_the_wire(
    name: str, era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    """[SDK trap: error mapping]"""
    error = UNEXPECTED[name]
    in_list, in_get = Answering(error, error), Answering(got=DYNAMIC, content=error, directory=error)
    for provider, methods in [(in_list, METHODS), (in_get, METHODS[3:])]:
        async with host_of(provider) as host:
            for method, params in methods:
                assert_is(await host.call(era, method, params), INTERNAL)
    causes = [record for record in caplog.records if record.name == "gateway.protocol.faults"]
    assert [record.levelno for record in causes] == [logging.ERROR] * (len(METHODS) + 2)
    assert caplog.text.count("SECRET") >= len(causes)


@pytest.mark.parametrize(
    "kind",
    [StoreUnavailable, StoreThrottled, AccessDenied, ClockSkew, BucketMissing, WrongRegion, StoreMisbehaved],
)
async def test_a_store_that_is_down_is_one_fixed_text(
    kind: type[GatewayError], era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours]"""
    async with host_of(Answering(kind("SECRET"), kind("SECRET"))) as host:
        for method, params in METHODS:
            assert_is(await host.call(era, method, params), STORAGE_DOWN)
            assert caplog.messages[-1] == f"{method}: {kind.reason}: SECRET"


async def test_a_provider_that_never_answers_ends_in_time(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[SDK trap: in JSON mode a client that goes away cancels nothing]"""
    async with host_of(Silent(), request_timeout_s=0.05) as host:
        assert_is(await host.call(era, "skills/list"), STORAGE_DOWN)
    assert "skills/list: took longer than one request may" in caplog.messages


async def test_the_time_is_that_of_the_whole_request(era: Era) -> None:
    """[ours] Finding the owner of a URI asks once a segment; each answer in time is not enough."""
    provider = Slow()
    async with host_of(provider, request_timeout_s=0.12) as host:
        assert_is(await host.call(era, "resources/read", {"uri": "skill://" + "a/" * 16 + "x"}), STORAGE_DOWN)
    assert len(provider.asked) < 16


async def test_one_bad_answer_does_not_spoil_the_next(era: Era) -> None:
    """[ours]"""
    provider = Answering(RuntimeError("SECRET"))
    async with host_of(provider) as host:
        assert_is(await host.call(era, "skills/list"), INTERNAL)
        provider.listed = EntryPage((GOOD,))
        assert len((await host.call(era, "skills/list")).result["skills"]) == 1


async def test_a_refusal_of_the_provider_may_be_read_by_the_caller(era: Era) -> None:
    """[ours] RequestError is the one family whose text is for the client."""
    async with host_of(Answering(got=DYNAMIC)) as host:
        reply = await host.call(era, "resources/read", {"uri": "skill://a/x"})
    assert reply.error == {"code": -32602, "message": "no such file", "data": {"uri": "skill://a/x"}}
    assert json.loads(reply.text)["id"] == 1
