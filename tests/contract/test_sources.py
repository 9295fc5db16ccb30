"""What a source says wrongly in ways that only show when it is wrapped, or stands beside another one."""

from typing import Any

import pytest

from gateway.catalog.combined import CombinedProvider
from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.registered import RegisteredSkills
from gateway.catalog.static import RegistrationRefused, StaticSkill
from gateway.provider import Child, DirectoryPage, EntryPage, Page
from tests.protocol.host import Era
from tests.protocol.providers import Answering, dynamic_entry, host_of, skill_md, static_entry

INTERNAL = {"code": -32603, "message": "Internal error"}


async def nothing(uri: str) -> bytes:
    return b""


@pytest.mark.parametrize("position", [7, "", True])
async def test_a_position_of_a_callback_that_is_no_text_is_an_internal_error(position: Any, era: Era) -> None:
    """[ours: a malformed page]"""

    async def read_directory(uri: str, page: Page) -> DirectoryPage:
        return DirectoryPage((Child("x", True),), position)

    made = DynamicSkill("a", skill_md("a"), read_resource=nothing, read_directory=read_directory)
    async with host_of(RegisteredSkills([made])) as host:
        assert (await host.call(era, "resources/directory/read", {"uri": "skill://a"})).error == INTERNAL


@pytest.mark.parametrize("position", [7, ""])
async def test_a_position_of_one_source_that_is_no_text_is_an_internal_error(position: Any, era: Era) -> None:
    """[ours: a malformed page]"""
    bad = Answering(EntryPage((static_entry("a"),), position), namespaces=("a",))
    async with host_of(CombinedProvider([bad, Answering(namespaces=("b",))]), page_size=1) as host:
        assert (await host.call(era, "skills/list")).error == INTERNAL


async def test_a_skill_outside_the_namespaces_is_never_served(era: Era) -> None:
    """[ours: a foreign skill] Alone, and beside the source whose skill it would be."""
    foreign = Answering(EntryPage((static_entry("b"),)), static_entry("b"), namespaces=("a",))
    both = CombinedProvider([foreign, Answering(namespaces=("b",))])
    async with host_of(foreign) as alone, host_of(both, page_size=1) as beside:
        for host in (alone, beside):
            assert (await host.call(era, "skills/list")).error == INTERNAL
            assert (await host.call(era, "skills/get", {"uri": "skill://b/SKILL.md"})).code == -32602


async def test_a_size_of_a_child_that_no_host_could_read_is_an_internal_error(era: Era) -> None:
    """[ours: bad sizes]"""
    page = DirectoryPage((Child("x", False, 2**53),))
    async with host_of(Answering(got=dynamic_entry("a"), directory=page)) as host:
        assert (await host.call(era, "resources/directory/read", {"uri": "skill://a"})).error == INTERNAL


def test_a_skill_that_no_host_could_read_is_refused_at_registration() -> None:
    """[ours] Text without a UTF-8 form, and a path deeper than one is looked for."""
    with pytest.raises(RegistrationRefused, match=r"a/x\.txt: has a lone surrogate"):
        StaticSkill("a", {"SKILL.md": skill_md("a"), "x.txt": "\ud800"})
    assert StaticSkill("x/" * 15 + "a", {"SKILL.md": skill_md("a")}).entry.files
    with pytest.raises(RegistrationRefused, match="lies deeper than 16 segments"):
        StaticSkill("x/" * 16 + "a", {"SKILL.md": skill_md("a")})
