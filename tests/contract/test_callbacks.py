"""Callbacks of skills given in code, over the wire: whatever one does wrong, the host gets one fixed error."""

import asyncio
from typing import Any

import pytest

from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.registered import RegisteredSkills
from gateway.errors import NotADirectory, NotServed
from gateway.provider import Child, Content, DirectoryPage, Page
from tests.protocol.host import Era
from tests.protocol.providers import host_of, skill_md

INTERNAL = {"code": -32603, "message": "Internal error"}
STORAGE_DOWN = {"code": -32603, "message": "Storage is unavailable; try again later"}


class Forever:
    """An answer that never comes."""


def skill(answer: Any, **options: Any) -> RegisteredSkills:
    """One dynamic skill whose two callbacks give `answer`, or raise it."""

    async def answered(*_: Any) -> Any:
        if isinstance(answer, Forever):
            await asyncio.Event().wait()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return RegisteredSkills(
        [DynamicSkill("a", skill_md("a"), read_resource=answered, read_directory=answered, **options)]
    )


def one(*children: Child) -> DirectoryPage:
    return DirectoryPage(children)


BAD_DIRECTORIES: dict[str, Any] = {
    "it raises": RuntimeError("SECRET"),
    "it returns nothing": None,
    "it returns a list": [Child("x", True)],
    "a page of nothing": DirectoryPage(None),  # type: ignore[arg-type]
    "a child that is none": one(None),  # type: ignore[arg-type]
    "a child twice": one(Child("x", True), Child("x", True)),
    "a file and a directory of one name": one(Child("x", False, 1), Child("x", True)),
    "a grandchild": one(Child("x/y", False, 1)),
    "..": one(Child("..", True)),
    "a URI of another skill": one(Child("skill://other/x.md", False, 1)),
    "the URI of its own child": one(Child("skill://a/x.md", False, 1)),
    "what the adapter manages": one(Child("SKILL.md", False, 1)),
    "a negative size": one(Child("x", False, -1)),
    "a size that is a boolean": one(Child("x", False, True)),
    "a size with a fraction": one(Child("x", False, 1.5)),  # type: ignore[arg-type]
    "more than was asked for": one(*(Child(f"c{number}", True) for number in range(9))),
}


@pytest.mark.parametrize("kind", BAD_DIRECTORIES)
async def test_a_directory_callback_that_answers_wrongly_is_an_internal_error(kind: str, era: Era) -> None:
    """[ours: fails closed; ours] Never half a page: the managed children are not sent either."""
    async with host_of(skill(BAD_DIRECTORIES[kind]), page_size=5) as host:
        reply = await host.call(era, "resources/directory/read", {"uri": "skill://a"})
    assert reply.message == {"jsonrpc": "2.0", "id": 1, "error": INTERNAL}


@pytest.mark.parametrize("answer", [RuntimeError("SECRET"), None, 7, ["x"], Content("x", "text/plain")])  # type: ignore[arg-type]
async def test_a_file_callback_that_answers_wrongly_is_an_internal_error(answer: Any, era: Era) -> None:
    """[ours: fails closed; ours]"""
    async with host_of(skill(answer)) as host:
        reply = await host.call(era, "resources/read", {"uri": "skill://a/x"})
    assert reply.message == {"jsonrpc": "2.0", "id": 1, "error": INTERNAL}


async def test_a_callback_that_hangs_ends_in_time(era: Era) -> None:
    """[ours: a callback that hangs]"""
    async with host_of(skill(Forever()), request_timeout_s=0.05) as host:
        for method, uri in (("resources/read", "skill://a/x"), ("resources/directory/read", "skill://a")):
            assert (await host.call(era, method, {"uri": uri})).error == STORAGE_DOWN


async def test_what_a_callback_does_not_have_is_told(era: Era) -> None:
    """[ours] A declared directory is one whatever the callback says."""
    async with host_of(skill(NotServed("no such file"))) as host:
        missing = await host.call(era, "resources/read", {"uri": "skill://a/x"})
    async with host_of(skill(NotADirectory("no such directory"), directories=["empty"])) as host:
        elsewhere = await host.call(era, "resources/directory/read", {"uri": "skill://a/x"})
        declared = await host.call(era, "resources/directory/read", {"uri": "skill://a/empty"})
        root = await host.call(era, "resources/directory/read", {"uri": "skill://a"})
    assert (missing.code, missing.error["message"]) == (-32602, "no such file")
    assert (elsewhere.code, elsewhere.error["message"]) == (-32602, "no such directory")
    assert declared.result["resources"] == []
    assert [child["uri"] for child in root.result["resources"]] == ["skill://a/SKILL.md", "skill://a/empty"]


async def test_binary_of_a_callback_needs_leave(era: Era) -> None:
    """[ours: allow_binary]"""
    async with host_of(skill(b"\xff")) as host, host_of(skill(b"\xff", allow_binary=True)) as allowing:
        refused = await host.call(era, "resources/read", {"uri": "skill://a/x.bin"})
        served = await allowing.call(era, "resources/read", {"uri": "skill://a/x.bin"})
    assert refused.code == -32602
    assert served.result["contents"][0]["blob"] == "/w=="


async def test_a_callback_that_gives_its_position_back_ends_the_listing(era: Era) -> None:
    """[ours: a malformed page] The client would page for ever."""

    async def read_directory(uri: str, page: Page) -> DirectoryPage:
        return DirectoryPage((Child(f"c{page.offset}", True),), "same")

    made = DynamicSkill("a", skill_md("a"), read_resource=None, read_directory=read_directory)  # type: ignore[arg-type]
    async with host_of(RegisteredSkills([made]), page_size=2) as host:
        first = await host.call(era, "resources/directory/read", {"uri": "skill://a"})
        cursor = first.result["nextCursor"]
        again = await host.call(era, "resources/directory/read", {"uri": "skill://a", "cursor": cursor})
    assert again.error == INTERNAL
