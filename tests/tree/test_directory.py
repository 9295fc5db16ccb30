"""Dynamic skills: got, read, and listed directory by directory, on every store."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import ContentTooLarge, NotADirectory, NotServed
from gateway.local.memory import MemoryStore
from gateway.objects import ByteRange, ListPage, ObjectKey, ObjectSlice
from gateway.provider import Child, Content, DirectoryPage, Page
from gateway.skill.media import media_type_of
from gateway.skill.model import SkillPath
from gateway.skill.uri import segment_fault
from gateway.tree.options import TreeOptions
from tests.stores import Bucket
from tests.tree.odd_stores import CountingStore, WalkOrderStore
from tests.tree.test_paging import DIRECTORIES, TREES
from tests.tree.trees import ANYONE, children_of, entries_of, entry_of, provider_of, skill_md

DYNAMIC = TreeOptions("s/", ("hub",), max_hash_bytes=0, probe_bytes=1, max_file_bytes=100, freshness_s=0)
"""No file of more than two bytes has a digest, where the store keeps none."""

FILES = {
    "SKILL.md": skill_md("d"),
    "big.txt": b"x" * 101,
    "empty.txt": b"",
    "a b%2F#?.md": b"# odd\n",
    "é.txt": "é".encode(),
    "note": b"plain words\n",
    "sub/one.py": b"1\n",
    "sub/two.json": b"{}\n",
    "sub/deep/er/x.csv": b"1,2\n",
    "sub-2/y.txt": b"y\n",
    "sub.txt": b"z\n",
    "z/SKILL.md": skill_md("z"),
}
OBJECTS = {f"s/d/{name}": data for name, data in FILES.items()} | {
    "s/d/.git/config": b"hidden",
    "s/d/sub/.DS_Store": b"hidden",
    "s/d/void/": b"",
    "s/d2/SKILL.md": skill_md("d2"),
    "s/loose.txt": b"loose",
}
DIRECTORY_NAMES = ("", "sub", "sub/deep", "sub/deep/er", "sub-2", "void", "z")


def model_children(directory: str) -> list[Child]:
    head = f"{directory}/" if directory else ""
    children = {"void": Child("void", is_directory=True)} if not directory else {}
    for name, data in FILES.items():
        if name.startswith(head):
            child, slash, _ = name.removeprefix(head).partition("/")
            media_type = media_type_of(child, None, True)
            children[child] = Child(child, True) if slash else Child(child, False, len(data), media_type)
    return sorted(children.values(), key=lambda child: child.name)


async def fill(bucket: Bucket) -> None:
    for key, data in sorted(OBJECTS.items(), key=lambda item: not item[1]):
        await bucket.put(key, data, media_type_of(key, None, True))


async def test_a_dynamic_skill_is_listed_got_and_read_without_a_manifest(bucket: Bucket) -> None:
    """[SEP-2640: resources "dynamic"]"""
    await fill(bucket)
    dynamic = {path: entry_of(path, None, ("void",) if path == "hub/d" else ()) for path in ("hub/d", "hub/d/z")}
    async with bucket.open() as store:
        provider = provider_of(store, None, replace(DYNAMIC, freshness_s=60))
        listed = {entry.path: entry for entry in await entries_of(provider)}
        assert {path: entry for path, entry in listed.items() if path != "hub/d2"} == dynamic
        assert {path: await provider.get(SkillPath(path), ANYONE) for path in dynamic} == dynamic
        for name, data in FILES.items():
            if len(data) <= 100:
                content = await provider.read(SkillPath("hub/d"), name, ANYONE)
                assert content == Content(data, media_type_of(name, None, True)), name
        with pytest.raises(ContentTooLarge) as caught:
            await provider.read(SkillPath("hub/d"), "big.txt", ANYONE)
    assert str(caught.value) == "'big.txt' of 'hub/d' has more than 100 bytes, the most one read sends"


async def test_each_direct_child_of_a_directory_is_listed_once_at_any_page_size(bucket: Bucket) -> None:
    """[SEP-2640 reading directories]"""
    await fill(bucket)
    async with bucket.open() as store:
        provider = provider_of(store, None, DYNAMIC)
        for directory, limit in product(DIRECTORY_NAMES, (1, 2, 50)):
            children = await children_of(provider, "hub/d", directory, limit)
            assert sorted(children, key=lambda child: child.name) == model_children(directory), (directory, limit)


NO_DIRECTORIES = ("nothing", "SKILL.md", "note", "su", "sub/one.py", "sub/deep/er/x", "void/x", ".git", "sub/.git",
                  "..", "../d2", "sub/..", ".", "sub//deep", "sub/", "/", "sub\\deep")  # fmt: skip


async def test_what_is_no_directory_of_the_skill_is_refused(bucket: Bucket) -> None:
    """[SEP-2640 reading directories] [ours: no way out of a skill]"""
    await fill(bucket)
    async with bucket.open() as store:
        provider = provider_of(store, None, DYNAMIC)
        for directory in NO_DIRECTORIES:
            with pytest.raises(NotADirectory):
                await provider.read_directory(SkillPath("hub/d"), directory, Page(limit=50), ANYONE)


async def test_what_is_no_file_of_a_dynamic_skill_is_not_read(bucket: Bucket) -> None:
    """[SEP-2640 reading] [ours: no way out of a skill]"""
    await fill(bucket)
    async with bucket.open() as store:
        provider = provider_of(store, None, replace(DYNAMIC, freshness_s=60))
        for name in ("nothing", "sub", "void", "sub/", "void/", ".git/config", "sub/.DS_Store", "../d2/SKILL.md",
                     "../loose.txt", "", "/note", "sub//one.py", "sub\\one.py", "sub/../note"):  # fmt: skip
            with pytest.raises(NotServed):
                await provider.read(SkillPath("hub/d"), name, ANYONE)


async def test_a_directory_that_was_emptied_is_gone(bucket: Bucket) -> None:
    """[S3: SeaweedFS's phantoms]"""
    await fill(bucket)
    await bucket.delete("s/d/sub-2/y.txt")
    async with bucket.open() as store:
        provider = provider_of(store, None, DYNAMIC)
        with pytest.raises(NotADirectory):
            await provider.read_directory(SkillPath("hub/d"), "sub-2", Page(limit=50), ANYONE)


async def test_one_page_of_a_directory_costs_one_listing_and_looks_only_at_names_that_do_not_tell() -> None:
    """[ours: one S3 call per page]"""
    objects = OBJECTS | {f"s/d/{letter}.md": b"text" for letter in "abcdefgh"}
    store = CountingStore(MemoryStore(objects, keep_checksums=False))
    await provider_of(store, None, DYNAMIC).read_directory(SkillPath("hub/d"), "", Page(limit=50), ANYONE)
    assert store.calls["list_page"] == 1
    assert set(store.keys_read) == {"s/d/note"}


async def test_a_file_that_goes_while_its_directory_is_read_leaves_the_others() -> None:
    """[ours: a race is no fault]"""

    class GoingStore(MemoryStore):
        async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
            self.erase(key)
            return await super().get_range(key, span, if_match=if_match)

    provider = provider_of(GoingStore({"s/d/note": b"gone", "s/d/x.md": b"here"}), None, DYNAMIC)
    page = await provider.read_directory(SkillPath("hub/d"), "", Page(limit=50), ANYONE)
    assert page == DirectoryPage((Child("note", False, 4, None), Child("x.md", False, 4, "text/markdown")))


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_a_common_prefix_that_comes_again_after_an_empty_page_is_one_child(limit: int) -> None:
    """[S3: a delimiter listing may repeat a CommonPrefix across pages]"""
    pages = {
        None: ListPage((), ("s/d/a-b/", "s/d/a/"), "1"),
        "1": ListPage((), (), "2"),
        "2": ListPage((), ("s/d/a/", "s/d/b/"), None),
    }

    class RepeatingStore(MemoryStore):
        async def list_page(
            self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
        ) -> ListPage:
            return pages[token]

    children = await children_of(provider_of(RepeatingStore(), None, DYNAMIC), "hub/d", "", limit)
    assert sorted(child.name for child in children) == ["a", "a-b", "b"]


def names_in(directory: str, keys: Iterable[str]) -> list[tuple[str, bool]]:
    """Model: names of direct children and whether each is a directory."""
    found: set[tuple[str, bool]] = set()
    for key in keys:
        name, slash, _ = key.removeprefix(f"{directory}/").partition("/")
        whole = key.removesuffix("/").split("/") if not slash else [name]
        if key.startswith(f"{directory}/") and key != f"{directory}/" and _is_shown(whole):
            found.add((name, bool(slash)))
    return sorted(found)


def _is_shown(segments: list[str]) -> bool:
    return not any(segment_fault(segment) or segment.startswith(".") for segment in segments)


@settings(max_examples=200, deadline=None)
@given(
    TREES,
    st.frozensets(DIRECTORIES.map(lambda path: f"{path}/"), max_size=4),
    st.booleans(),
    st.sampled_from((1, 2, 3, 50)),
    st.sampled_from(("a", "a/a", "a-b", "0/S")),
)
def test_the_children_of_any_directory_are_each_listed_once_by_a_store_that_repeats_itself(
    keys: frozenset[str], phantoms: frozenset[str], has_blanks: bool, limit: int, directory: str
) -> None:
    """[SEP-2640 reading directories] [S3: phantoms, MaxKeys+1, repeated CommonPrefixes]"""
    listed = keys | phantoms
    objects = {key: b"text" for key in keys if not any(other.startswith(f"{key}/") for other in listed)}
    store = WalkOrderStore(objects, phantoms=phantoms, has_blanks=has_blanks)
    expected = names_in(directory, (*objects, *phantoms))
    # A phantom below is folded into a CommonPrefix like any other key: only the directory's own shows itself.
    is_there = any(key.startswith(f"{directory}/") and (key in keys or key != f"{directory}/") for key in listed)
    skill, _, below = directory.partition("/")
    children = children_of(provider_of(store), skill, below, limit)
    if below and not expected and not is_there and not has_blanks:
        with pytest.raises(NotADirectory):
            asyncio.run(children)
    else:
        found = asyncio.run(children)
        assert sorted((child.name, child.is_directory) for child in found) == expected


async def test_a_directory_whose_own_uri_would_be_too_long_is_no_child() -> None:
    """[ours: a URI has at most 2,048 bytes] One such directory must not fail the whole page."""
    store = MemoryStore(
        {"d/SKILL.md": skill_md("d"), "d/data/x.md": b"x", f"d/{'é' * 400}/f.md": b"x"}, keep_checksums=False
    )
    provider = provider_of(store, None, replace(DYNAMIC, mount=(), prefix=""))
    page = await provider.read_directory(SkillPath("d"), "", Page(50), ANYONE)
    assert [child.name for child in page.children] == ["SKILL.md", "data"]
