"""Any tree, any store order, any page size: each skill once, complete, and equal to what `get` gives."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.local.memory import MemoryStore
from gateway.skill.model import SKILL_MD, SkillPath
from gateway.tree.options import TreeOptions
from tests.tree.odd_stores import WalkOrderStore
from tests.tree.trees import ANYONE, entries_of, model_entry, pages_of, provider_of, served_of, skill_md

SEGMENTS = st.sampled_from(("a", "a-b", "a.b", "A", "0", "S", SKILL_MD, "SKILL.md.bak", ".h", ""))
DIRECTORIES = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
SKILLS = st.lists(st.sampled_from(("a", "a-b", "a.b", "0", "A")), min_size=1, max_size=4).map("/".join)
KEYS = st.one_of(SKILLS.map(lambda path: f"{path}/{SKILL_MD}"), DIRECTORIES, DIRECTORIES.map(lambda path: f"{path}/"))
TREES = st.frozensets(KEYS, max_size=24)
PAGE_SIZES = st.sampled_from((1, 2, 7, 50))
OPTIONS = st.builds(
    TreeOptions,
    list_keys=st.sampled_from((1, 2, 3, 7, 500)),
    max_list_pages=st.sampled_from((1, 2, 20)),
    max_skill_keys=st.sampled_from((1, 3, 10_000)),
    freshness_s=st.sampled_from((0, 5)),
)


def objects_of(keys: frozenset[str]) -> dict[str, bytes]:
    return {key: _data(key) for key in keys}


def _data(key: str) -> bytes:
    directory, _, name = key.rpartition("/")
    if name == SKILL_MD:
        return skill_md(directory.rpartition("/")[2] or "none")
    return b"" if key.endswith("/") else key.encode()


async def check(
    store: MemoryStore, objects: dict[str, bytes], others: frozenset[str], limit: int, options: TreeOptions
) -> None:
    paths = served_of(objects, others=others, max_skill_keys=options.max_skill_keys)
    expected = {path: model_entry(path, objects) for path in paths}
    provider = provider_of(store, options=options)
    pages = await pages_of(provider, limit)
    listed = [entry for page in pages for entry in page.entries]
    assert sorted(entry.path for entry in listed) == sorted(expected)
    assert {entry.path: entry for entry in listed} == expected
    assert len(pages) <= 3 * (len(objects) + len(others)) + 3
    for key in objects:
        path = key.removesuffix(f"/{SKILL_MD}")
        assert await provider.get(SkillPath(path), ANYONE) == expected.get(path)
    assert await entries_of(provider, limit) == listed


@settings(max_examples=150, deadline=None)
@given(TREES, PAGE_SIZES, OPTIONS)
def test_pages_of_any_size_give_each_skill_once_and_as_get_gives_it(
    keys: frozenset[str], limit: int, options: TreeOptions
) -> None:
    """[SEP-2640 list] [ours: provider contract]"""
    objects = objects_of(keys)
    asyncio.run(check(MemoryStore(objects), objects, frozenset(), limit, options))


@settings(max_examples=150, deadline=None)
@given(TREES, st.frozensets(DIRECTORIES.map(lambda path: f"{path}/"), max_size=4), st.booleans(), PAGE_SIZES, OPTIONS)
def test_a_store_that_lists_by_segment_with_phantoms_and_blank_pages_gives_the_same(
    keys: frozenset[str], phantoms: frozenset[str], has_blanks: bool, limit: int, options: TreeOptions
) -> None:
    """[S3: order of keys is the store's own on SeaweedFS] [S3: a truncated page may be empty]"""
    objects = objects_of(keys)
    store = WalkOrderStore(objects, phantoms=phantoms, has_blanks=has_blanks)
    asyncio.run(check(store, objects, phantoms - keys, limit, options))
