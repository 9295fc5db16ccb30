"""Listings below some paths alone: what lies there is listed, once, and the store is asked for nothing else."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.local.memory import MemoryStore
from gateway.provider import Page, lies_within
from gateway.skill.model import SKILL_MD
from gateway.tree.options import TreeOptions
from tests.stores import Bucket
from tests.tree.odd_stores import CountingStore, WalkOrderStore
from tests.tree.test_paging import OPTIONS, PAGE_SIZES, SKILLS, TREES, objects_of
from tests.tree.trees import ANYONE, entries_of, model_entry, paths_of, provider_of, served_of, skill_md

TEAMS = {
    f"{team}/{kind}-{number:03}/SKILL.md": skill_md(f"{kind}-{number:03}")
    for team in ("a", "b", "b-c", "b.d", "c/deep")
    for kind, number in zip(("one", "two", "ten"), range(3), strict=True)
}
NESTED = {"s/SKILL.md": skill_md("s"), "s/in/SKILL.md": skill_md("in"), "s/other/SKILL.md": skill_md("other")}
REFUSED = {"Bad/SKILL.md": skill_md("bad"), "Bad/in/SKILL.md": skill_md("in"), "Bad/other/SKILL.md": skill_md("other")}
OBJECTS = TEAMS | NESTED | REFUSED | {"b/loose.md": b"loose", "z/SKILL.md": skill_md("z")}
ROOTS = st.lists(SKILLS, min_size=1, max_size=4).map(
    lambda paths: tuple(path for path in dict.fromkeys(paths) if not any(_is_below(path, other) for other in paths))
)


def _is_below(path: str, other: str) -> bool:
    return path != other and lies_within(path, other)


def _directories_of(objects: dict[str, bytes]) -> list[str]:
    directories = (key.removesuffix(f"/{SKILL_MD}") for key in objects if key.endswith(f"/{SKILL_MD}"))
    return [directory for directory in directories if directory]


def _widened(root: str, objects: dict[str, bytes]) -> str:
    """A root, or the outermost directory with a SKILL.md that it lies in."""
    return min((directory for directory in _directories_of(objects) if lies_within(root, directory)), default=root)


@pytest.mark.parametrize(
    ("within", "found"),
    [
        (("a",), ["a/one-000", "a/ten-002", "a/two-001"]),
        (("b",), ["b/one-000", "b/ten-002", "b/two-001"]),
        (("b/one-000",), ["b/one-000"]),
        (("b/one-000/scripts",), ["b/one-000"]),
        (("b/one", "b/loose.md", "nothing/here"), []),
        (("z", "b.d", "a/two-001"), ["a/two-001", "b.d/one-000", "b.d/ten-002", "b.d/two-001", "z"]),
        (("s/in", "c"), ["c/deep/one-000", "c/deep/ten-002", "c/deep/two-001", "s", "s/in", "s/other"]),
        (("s/in", "s/other"), ["s", "s/in", "s/other"]),
        (("Bad/in",), ["Bad/in", "Bad/other"]),
    ],
)
async def test_what_lies_below_the_roots_is_listed_and_with_it_the_skill_that_a_root_lies_in(
    bucket: Bucket, within: tuple[str, ...], found: list[str]
) -> None:
    """[S3 ListObjectsV2: Prefix] Whatever the order and the size of the store's pages."""
    for key, data in OBJECTS.items():
        await bucket.put(f"skills/{key}", data)
    async with bucket.open() as store:
        for limit, list_keys in ((50, 500), (1, 500), (2, 2), (50, 1)):
            provider = provider_of(store, options=TreeOptions("skills/", list_keys=list_keys, freshness_s=0))
            assert sorted(await paths_of(provider, limit, within=within)) == found, (limit, list_keys)


@pytest.mark.parametrize(
    ("within", "count"), [(("hub",), 19), (("hub/team",), 19), (("hub/team/a", "other"), 3), (("hub/te", "team"), 0)]
)
async def test_roots_are_paths_under_the_mount(within: tuple[str, ...], count: int) -> None:
    """[ours] One above the mount is all of it, and one beside it nothing, for which nobody is asked."""
    store = CountingStore(MemoryStore(OBJECTS | {"Bad/in/SKILL.md": b"", "Bad/other/SKILL.md": b""}))
    provider = provider_of(store, options=TreeOptions(mount=("hub", "team"), freshness_s=0))
    assert len(await paths_of(provider, within=within)) == count
    assert bool(store.calls) == bool(count)


async def test_a_few_skills_of_ten_thousand_cost_one_listing() -> None:
    """[ours: what is not wanted is not listed] And no more than so many listings make one page."""
    many = {f"big/skill-{number:05}/SKILL.md": skill_md(f"skill-{number:05}") for number in range(10_000)}
    store = CountingStore(MemoryStore(many | TEAMS))
    assert len(await paths_of(provider_of(store), within=("c",))) == 3
    assert store.calls == {"list_page": 1, "get_range": 3}

    store.reset()
    provider = provider_of(store, options=TreeOptions(max_list_pages=2, freshness_s=0))
    page = await provider.list(Page(50, within=("x1", "x2", "x3", "z")), ANYONE)
    assert (page.entries, store.calls["list_page"]) == ((), 2)
    assert page.position is not None


async def test_roots_that_change_between_two_pages_lose_nothing_that_is_still_to_come() -> None:
    """[ours] The root that was begun is listed to its end; then what comes after it."""
    provider = provider_of(MemoryStore(OBJECTS))
    everything = await paths_of(provider)
    start = await provider.list(Page(1), ANYONE)
    assert await paths_of(provider, 2, start.position, within=("b",)) == everything[1:]

    start = await provider.list(Page(1, within=("b", "z")), ANYONE)
    rest = await paths_of(provider, 1, start.position, within=("a", "b-c", "c", "z"))
    assert [path.rpartition("/")[0] for path in rest] == ["b", "b", *["b-c"] * 3, *["c/deep"] * 3, ""]
    wider = await paths_of(provider, 2, start.position)
    assert (wider[:2], wider[2:]) == (["b/ten-002", "b/two-001"], everything)
    start = await provider.list(Page(1, within=("c/deep", "z")), ANYONE)
    rest = await paths_of(provider, 2, start.position, within=("c", "z"))
    assert rest == ["c/deep/ten-002", "c/deep/two-001", "c/deep/one-000", "c/deep/ten-002", "c/deep/two-001", "z"]


@settings(max_examples=300, deadline=None)
@given(TREES, ROOTS, st.sampled_from((MemoryStore, WalkOrderStore)), PAGE_SIZES, OPTIONS)
def test_each_skill_below_the_roots_is_listed_once(
    keys: frozenset[str], roots: tuple[str, ...], kind: type[MemoryStore], limit: int, options: TreeOptions
) -> None:
    """[ours: provider contract]"""
    objects = objects_of(keys)

    async def check() -> None:
        paths = served_of(objects, max_skill_keys=options.max_skill_keys)
        provider = provider_of(kind(objects), options=options)
        listed = await entries_of(provider, limit, within=roots)
        wide = [_widened(root, objects) for root in roots]
        wanted = [path for path in paths if any(lies_within(path, root) for root in wide)]
        assert sorted(entry.path for entry in listed) == sorted(wanted)
        assert {entry.path: entry for entry in listed} == {path: model_entry(path, objects) for path in wanted}

    asyncio.run(check())
