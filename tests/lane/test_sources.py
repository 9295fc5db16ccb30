"""Providers of the library: warm where nothing has to be asked, and always with the same objects."""

from gateway.catalog.combined import CombinedProvider
from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.registered import RegisteredSkills
from gateway.catalog.static import StaticSkill
from gateway.provider import Caller, Page, SkillProvider, WarmProvider
from gateway.skill.model import SkillPath
from tests.protocol.providers import Shelf, skill_md, static_entry

ANYONE = Caller()


def static(*names: str) -> RegisteredSkills:
    return RegisteredSkills([StaticSkill(name, {"SKILL.md": skill_md(name)}) for name in names])


async def made(uri: str) -> bytes:
    return b"made"


def dynamic(name: str) -> RegisteredSkills:
    return RegisteredSkills([DynamicSkill(name, skill_md(name), read_resource=made)])


async def test_what_is_warm_is_what_was_given_before() -> None:
    """[ours: WarmProvider]"""
    providers: list[SkillProvider] = [
        static("a", "b", "c"),
        CombinedProvider([static("a", "b"), static("c")]),
        CombinedProvider([dynamic("d"), static("c")]),
    ]
    for provider in providers:
        assert isinstance(provider, WarmProvider)
        position = None
        while True:
            page = Page(2, 0, position)
            known = provider.warm_list(page, ANYONE)
            assert known is not None
            assert known is await provider.list(page, ANYONE)
            assert known is provider.warm_list(page, ANYONE)
            for entry in known.entries:
                assert provider.warm_get(entry.path, ANYONE) is entry
                if entry.files is not None:
                    content = provider.warm_read(entry.path, "SKILL.md", ANYONE)
                    assert content is not None
                    assert content is await provider.read(entry.path, "SKILL.md", ANYONE)
                    assert provider.warm_read(entry.path, "nothing", ANYONE) is None
            if (position := known.position) is None:
                break


async def test_files_of_a_dynamic_skill_are_never_warm() -> None:
    """[ours]"""
    for provider in (dynamic("d"), CombinedProvider([dynamic("d")])):
        assert provider.warm_read(SkillPath("d"), "SKILL.md", ANYONE) is None
        assert provider.warm_read(SkillPath("d"), "x", ANYONE) is None


async def test_nothing_is_warm_where_nothing_is_served() -> None:
    """[ours]"""
    for provider in (static("a"), CombinedProvider([static("a")]), CombinedProvider([])):
        assert provider.warm_get(SkillPath("z"), ANYONE) is None
        assert provider.warm_read(SkillPath("z"), "SKILL.md", ANYONE) is None


async def test_one_source_that_must_be_asked_makes_a_page_cold() -> None:
    """[ours] A page that does not reach it stays warm."""
    provider = CombinedProvider([static("a", "b"), Shelf((static_entry("x"),), namespaces=("x",))])
    assert provider.warm_list(Page(2), ANYONE) is await provider.list(Page(2), ANYONE)
    assert provider.warm_list(Page(3), ANYONE) is None
    assert [entry.path for entry in (await provider.list(Page(3), ANYONE)).entries] == ["a", "b", "x"]
    assert provider.warm_list(Page(3), ANYONE) is None
    assert provider.warm_get(SkillPath("x"), ANYONE) is None


async def test_no_sources_list_an_empty_page() -> None:
    """[ours]"""
    provider = CombinedProvider([])
    assert (await provider.list(Page(2), ANYONE)).entries == ()
    assert provider.warm_list(Page(2), ANYONE) is await provider.list(Page(2), ANYONE)
