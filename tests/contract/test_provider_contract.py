"""What the adapter asks a provider, and what it makes of pages, cursors and manifests. `CONTRACT.md` names the rest."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from gateway.catalog.catalog import SkillCatalog
from gateway.catalog.combined import CombinedProvider
from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.files import MemoryFiles
from gateway.catalog.registered import RegisteredSkills
from gateway.catalog.static import StaticSkill
from gateway.cursor import CursorSealer
from gateway.errors import CursorRefused, NotADirectory, NotServed
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.faults import to_mcp_error
from gateway.protocol.options import AdapterOptions
from gateway.protocol.paging import Pager
from gateway.provider import Caller, Child, DirectoryPage, EntryPage, Page, SkillProvider
from gateway.skill.model import Digest, SkillEntry, SkillFile
from tests.protocol.host import Era
from tests.protocol.providers import KEY, Answering, Shelf, dynamic_entry, host_of, skill_md, static_entry, tree_of

NAMES = [f"s{number}" for number in range(7)]
SOMEBODY = Caller("https://issuer", "client", "someone", "stable")
CURSOR_REFUSED = "Invalid or expired cursor; start again without one"


async def nothing(uri: str) -> bytes:
    raise NotServed(f"{uri} is not there")


def static(*names: str) -> RegisteredSkills:
    return RegisteredSkills([StaticSkill(name, {"SKILL.md": skill_md(name)}) for name in names])


async def catalogue() -> SkillProvider:
    return await SkillCatalog.load(MemoryFiles({f"{name}/SKILL.md": skill_md(name) for name in NAMES}))


async def registered() -> SkillProvider:
    return static(*NAMES)


async def combined() -> SkillProvider:
    dynamic = RegisteredSkills([DynamicSkill(name, skill_md(name), read_resource=nothing) for name in NAMES[:4]])
    return CombinedProvider([dynamic, static(*NAMES[4:])])


async def tree() -> SkillProvider:
    return tree_of({f"{name}/SKILL.md": skill_md(name) for name in NAMES})


async def own() -> SkillProvider:
    return Shelf(tuple(static_entry(name) for name in NAMES))


SOURCES = {"catalogue": catalogue, "registered": registered, "combined": combined, "tree": tree, "own": own}


def test_options_are_cautious_when_nobody_chose_them() -> None:
    """[ours: adapter options]"""
    options = AdapterOptions((KEY,))
    assert (options.version, options.directory_read, options.page_size) == ("current", False, 50)
    assert (options.cache_scope, options.ttl_ms, options.required_scopes) == ("private", 0, ("skills:read",))


@pytest.mark.parametrize("source", SOURCES)
async def test_every_skill_is_listed_once_though_the_page_size_changes_between_pages(source: str, era: Era) -> None:
    """[ours: a cursor from another page size] The size of now holds, and nothing is lost."""
    provider = await SOURCES[source]()
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for size in (1, 3, 2, 50):
        async with host_of(provider, page_size=size) as host:
            result = (await host.call(era, "skills/list", cursor)).result
        assert len(result["skills"]) <= size
        seen += [skill["frontmatter"]["name"] for skill in result["skills"]]
        cursor = {"cursor": result.get("nextCursor", "")}
    assert seen == NAMES
    assert cursor == {"cursor": ""}


async def test_a_directory_is_listed_once_though_the_page_size_changes_between_pages(era: Era) -> None:
    """[ours] Managed children and those of the callback."""
    names = ["z", "b", "y"]

    async def read_directory(uri: str, page: Page) -> DirectoryPage:
        first = int(page.position or 0)
        assert page.offset == first
        following = first + page.limit
        children = tuple(Child(name, True) for name in names[first:following])
        return DirectoryPage(children, str(following) if following < len(names) else None)

    skill = DynamicSkill(
        "s", skill_md("s"), read_resource=nothing, read_directory=read_directory, directories=["a/x", "c"]
    )
    provider, seen, cursor = RegisteredSkills([skill]), list[str](), dict[str, str]()
    for size in (1, 3, 1, 50):
        async with host_of(provider, page_size=size) as host:
            result = (await host.call(era, "resources/directory/read", {"uri": "skill://s", **cursor})).result
        seen += [child["uri"].removeprefix("skill://s/") for child in result["resources"]]
        cursor = {"cursor": result.get("nextCursor", "")}
    assert seen == ["SKILL.md", "a", "c", "z", "b", "y"]


@dataclass
class Recording(Answering):
    """Two pages, the first shorter than was asked for and the second without entries, then the last one."""

    pages: dict[str | None, EntryPage] = field(
        default_factory=lambda: {
            None: EntryPage((static_entry("a"),), "p1"),
            "p1": EntryPage((), "p2"),
            "p2": EntryPage((static_entry("b"), static_entry("c"))),
        }
    )

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        self.asked.append(("list", (page, caller)))
        return self.pages[page.position]


async def test_a_page_says_how_many_were_served_and_where_the_provider_was() -> None:
    """[ours: limit, offset and position; short and empty pages have a next one; the caller, every time]"""
    provider = Recording()
    adapter = SkillsAdapter(provider, AdapterOptions((KEY,), page_size=3))
    seen, cursor = list[str](), None
    for _ in range(3):
        result: dict[str, Any] = await adapter.list_skills(cursor, SOMEBODY, is_modern=True)
        seen += [skill["uri"] for skill in result["skills"]]
        cursor = result.get("nextCursor")
    assert cursor is None
    assert seen == ["skill://a/SKILL.md", "skill://b/SKILL.md", "skill://c/SKILL.md"]
    pages = [Page(3, 0, None), Page(3, 1, "p1"), Page(3, 1, "p2")]
    assert provider.asked == [("list", (page, SOMEBODY)) for page in pages]


async def test_a_file_is_asked_for_only_after_a_skill_owned_it(era: Era) -> None:
    """[ours: read]"""
    provider = Answering(got=dynamic_entry("a"))
    async with host_of(provider) as host:
        assert (await host.call(era, "resources/read", {"uri": "skill://b/x"})).code == -32602
        assert {question for question, _ in provider.asked} == {"get"}
        provider.asked.clear()
        await host.call(era, "resources/read", {"uri": "skill://a/x"})
    assert provider.asked == [("get", "a"), ("read", ("a", "x"))]


async def test_directories_of_a_static_skill_ask_no_callback(era: Era) -> None:
    """[ours]"""
    provider = Answering(got=static_entry("a", {"d/x.md": b"x"}), directory=NotADirectory("asked"))
    async with host_of(provider) as host:
        result = (await host.call(era, "resources/directory/read", {"uri": "skill://a"})).result
    assert [child["uri"] for child in result["resources"]] == ["skill://a/SKILL.md", "skill://a/d"]
    assert {question for question, _ in provider.asked} == {"get"}


def later(adapter: SkillsAdapter) -> SkillsAdapter:
    pager = adapter.pager
    return replaced(adapter, Pager(pager.options, pager.sealer, lambda: pager.now() + 90_000))


def replaced(adapter: SkillsAdapter, pager: Pager) -> SkillsAdapter:
    return SkillsAdapter(Recording(), adapter.options, pager=pager)


def of_another_ring(adapter: SkillsAdapter) -> SkillsAdapter:
    return replaced(adapter, Pager(adapter.options, CursorSealer([b"o" * 32])))


@pytest.mark.parametrize(
    ("caller", "change"),
    [
        (replace(SOMEBODY, subject="somebody else"), None),
        (replace(SOMEBODY, client="another"), None),
        (replace(SOMEBODY, issuer="https://other"), None),
        (replace(SOMEBODY, variant="canary"), None),
        (SOMEBODY, later),
        (SOMEBODY, of_another_ring),
    ],
)
async def test_a_cursor_that_is_not_for_this_request_has_one_fixed_message(
    caller: Caller, change: Callable[[SkillsAdapter], SkillsAdapter] | None
) -> None:
    """[ours: principal, variant, time and key ring; the method and the directory are tried over the wire]"""
    adapter = SkillsAdapter(Recording(), AdapterOptions((KEY,)))
    result: dict[str, Any] = await adapter.list_skills(None, SOMEBODY, is_modern=True)
    with pytest.raises(CursorRefused) as refused:
        await (change(adapter) if change else adapter).list_skills(result["nextCursor"], caller, is_modern=True)
    error = to_mcp_error(refused.value, "skills/list").error
    assert (error.code, error.message) == (-32602, CURSOR_REFUSED)


@pytest.mark.parametrize("size", [True, 1.5, -1, 2**53, "1", None])
async def test_a_size_that_no_host_could_read_is_an_internal_error(size: Any, era: Era) -> None:
    """[ours: bad sizes]"""
    entry = with_size(size)
    async with host_of(Answering(EntryPage((static_entry("b"), entry)), entry)) as host:
        for method, params in (("skills/list", {}), ("skills/get", {"uri": "skill://a/SKILL.md"})):
            assert (await host.call(era, method, params)).error == {"code": -32603, "message": "Internal error"}


async def test_the_largest_size_that_json_carries_is_published(era: Era) -> None:
    """[ours] RFC 8259: whole numbers are exact up to 2^53-1."""
    async with host_of(Answering(got=with_size(2**53 - 1))) as host:
        skill = (await host.call(era, "skills/get", {"uri": "skill://a/SKILL.md"})).result["skill"]
    assert skill["resources"][1]["size"] == 9007199254740991


def with_size(size: Any) -> SkillEntry:
    entry = static_entry("a")
    return replace(
        entry, files=(*(entry.files or ()), SkillFile("f", size, Digest("sha256:" + "0" * 64), "text/plain"))
    )
