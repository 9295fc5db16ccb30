"""The bucket changes while it is listed and read: nothing that stays is lost, nothing torn is served."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import ContentChanged, NotServed
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectKey, ObjectSlice
from gateway.provider import Page
from gateway.skill.model import SKILL_MD, Problem, SkillPath, digest_of
from gateway.tree.options import TreeOptions
from tests.tree.odd_stores import HeldStore, MovingStore, WalkOrderStore
from tests.tree.test_paging import KEYS, TREES, objects_of
from tests.tree.trees import ANYONE, Clock, entry_of, model_entry, pages_of, paths_of, provider_of, served_of, skill_md

ABC = {f"{name}/{file}": skill_md(name) if file == SKILL_MD else b"x" for name in "abc" for file in (SKILL_MD, "x.txt")}


def options_of(list_keys: int = 500, freshness_s: float = 0) -> TreeOptions:
    """Options under which no content is kept, so that each read asks the store."""
    return TreeOptions(list_keys=list_keys, freshness_s=freshness_s, content_cache_bytes=0)


async def first_page(store: MemoryStore, limit: int, list_keys: int) -> tuple[list[str], str | None]:
    page = await provider_of(store, options=options_of(list_keys)).list(Page(limit=limit), ANYONE)
    return [entry.path for entry in page.entries], page.position


@pytest.mark.parametrize("list_keys", [2, 3, 500])
async def test_the_listing_goes_on_behind_a_skill_that_was_deleted(list_keys: int) -> None:
    """[SEP-2640 list] [ours: each skill once]"""
    store = MemoryStore(ABC)
    seen, position = await first_page(store, 1, list_keys)
    store.erase("a/SKILL.md")
    store.erase("a/x.txt")
    assert seen == ["a"]
    assert await paths_of(provider_of(store, options=options_of(list_keys)), 1, position) == ["b", "c"]


@pytest.mark.parametrize("list_keys", [2, 3, 500])
async def test_a_skill_put_behind_is_listed_and_one_put_before_repeats_nothing(list_keys: int) -> None:
    """[SEP-2640 list] [ours: each skill once]"""
    store = MemoryStore(ABC)
    seen, position = await first_page(store, 2, list_keys)
    for name in ("0", "bb", "d"):
        store.store(f"{name}/SKILL.md", skill_md(name))
    assert seen == ["a", "b"]
    assert await paths_of(provider_of(store, options=options_of(list_keys)), 1, position) == ["bb", "c", "d"]


@pytest.mark.parametrize("list_keys", [2, 3, 500])
async def test_a_file_put_at_the_end_of_a_listed_skill_does_not_list_it_again(list_keys: int) -> None:
    """[S3: a token is a position] [ours: each skill once]"""
    store = MemoryStore(ABC)
    _, position = await first_page(store, 1, list_keys)
    store.store("a/z.txt", b"new")
    assert await paths_of(provider_of(store, options=options_of(list_keys)), 1, position) == ["b", "c"]


@pytest.mark.parametrize("list_keys", [1, 2, 500])
async def test_the_listing_goes_on_within_a_group_whose_skills_change(list_keys: int) -> None:
    """[SEP-2640 nested skills] [ours: each skill once]"""
    nested = {f"a/{name}/SKILL.md": skill_md(name) for name in ("n1", "n2", "n3")}
    store = MemoryStore(ABC | nested)
    seen, position = await first_page(store, 3, list_keys)
    store.erase("a/n2/SKILL.md")
    store.store("Z/SKILL.md", b"a group before, no skill")
    assert seen == ["a", "a/n1", "a/n2"]
    assert await paths_of(provider_of(store, options=options_of(list_keys)), 1, position) == ["a/n3", "b", "c"]


async def test_a_skill_behind_a_group_that_went_is_not_taken_for_one_inside_it() -> None:
    """[ours: each skill once; SeaweedFS lists `a-b` behind `a`]"""
    position = '[null,"","a/n1"]'
    store = MemoryStore({"a-b/SKILL.md": skill_md("a-b")})
    assert await paths_of(provider_of(store), 1, position) == ["a-b"]


async def test_a_directory_that_becomes_a_skill_tears_no_skill_in_it() -> None:
    """[SEP-2640: a manifest is complete] [ours]"""
    files = {"SKILL.md": skill_md("0"), "x": b"x", "y": b"y"}
    store = MovingStore({f"org/0/{name}": data for name, data in files.items()} | {"org/t": b"t"})
    store.happens["list_page", 2] = lambda: store.store("org/SKILL.md", skill_md("org"))
    page = await provider_of(store, options=TreeOptions(list_keys=2, freshness_s=0)).list(Page(limit=50), ANYONE)
    whole = {"SKILL.md": skill_md("org"), "t": b"t", **{f"0/{name}": data for name, data in files.items()}}
    assert page.entries == (entry_of("org", whole), entry_of("org/0", files))


async def test_a_file_that_changes_while_its_skill_is_listed_is_listed_as_it_is_then() -> None:
    """[ours: a half-read skill is read again]"""
    store = MovingStore({"a/SKILL.md": skill_md("a"), "a/x": b"old"})
    store.happens["get_range", 2] = lambda: store.store("a/x", b"newer")
    assert await provider_of(store).get(SkillPath("a"), ANYONE) == entry_of(
        "a", {"SKILL.md": skill_md("a"), "x": b"newer"}
    )


async def test_a_file_that_goes_while_its_skill_is_listed_is_left_out() -> None:
    """[ours: a half-read skill is read again]"""
    store = MovingStore({"a/SKILL.md": skill_md("a"), "a/x": b"old"})
    store.happens["get_range", 2] = lambda: store.erase("a/x")
    page = await provider_of(store).list(Page(limit=50), ANYONE)
    assert page.entries == (entry_of("a", {"SKILL.md": skill_md("a")}),)


async def test_a_skill_that_never_holds_still_is_left_out_and_named_and_the_others_are_served() -> None:
    """[ours: no skill dropped in silence]"""
    store = MovingStore(ABC | {"0/SKILL.md": skill_md("0"), "0/x": b"0"})
    problems: list[Problem] = []

    def change() -> None:
        store.store("0/x", b"0" * (store.calls["get_range"] + 2))
        store.happens["get_range", store.calls["get_range"] + 2] = change

    store.happens["get_range", 1] = change
    assert await paths_of(provider_of(store, problems)) == ["a", "b", "c"]
    assert [(problem.where, problem.code) for problem in problems] == [("0", "changing")]


@pytest.mark.parametrize("freshness_s", [0, 3600])
async def test_after_a_change_a_read_gives_the_new_bytes_and_get_their_digest(freshness_s: float) -> None:
    """[SEP-2640 integrity] [ours: never the stale entry again]"""
    store = MemoryStore(ABC)
    provider = provider_of(store, options=options_of(freshness_s=freshness_s))
    await pages_of(provider, 50)
    store.store("a/x.txt", b"changed")
    assert (await provider.read(SkillPath("a"), "x.txt", ANYONE)).data == b"changed"
    entry = await provider.get(SkillPath("a"), ANYONE)
    assert entry == entry_of("a", {SKILL_MD: skill_md("a"), "x.txt": b"changed"})


@pytest.mark.parametrize("freshness_s", [0, 3600])
async def test_a_file_that_was_deleted_is_not_read_and_leaves_the_manifest(freshness_s: float) -> None:
    """[SEP-2640 reading] [ours]"""
    store = MemoryStore(ABC)
    provider = provider_of(store, options=options_of(freshness_s=freshness_s))
    await pages_of(provider, 50)
    store.erase("a/x.txt")
    with pytest.raises(NotServed):
        await provider.read(SkillPath("a"), "x.txt", ANYONE)
    assert await provider.get(SkillPath("a"), ANYONE) == entry_of("a", {SKILL_MD: skill_md("a")})


async def test_a_file_that_changes_at_every_read_is_a_fault_and_never_wrong_bytes() -> None:
    """[ours: changed bytes are never served as the published ones]"""
    store = MovingStore(ABC)

    def change() -> None:
        store.store("a/x.txt", f"change {store.calls['get']}".encode())
        store.happens["get", store.calls["get"] + 2] = change

    store.happens["get", 1] = change
    with pytest.raises(ContentChanged) as caught:
        await provider_of(store, options=options_of()).read(SkillPath("a"), "x.txt", ANYONE)
    assert caught.value.reason == "content_changed"


async def test_bytes_that_are_not_the_digests_are_not_served_though_the_etag_stayed() -> None:
    """[SEP-2640 integrity] [S3: an ETag is opaque]"""

    class RottenStore(MemoryStore):
        async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
            found = await super().get(key, max_bytes=max_bytes, if_match=if_match)
            return ObjectSlice(found.data.swapcase(), found.head)

    with pytest.raises(ContentChanged):
        await provider_of(RottenStore(ABC), options=options_of()).read(SkillPath("a"), "x.txt", ANYONE)


CHANGES = st.tuples(st.frozensets(KEYS, max_size=3), st.integers(0, 3), st.integers(1, 12))
STORES = st.sampled_from((MovingStore, WalkOrderStore))
OPTIONS = st.builds(
    TreeOptions,
    list_keys=st.sampled_from((1, 2, 3, 7)),
    max_list_pages=st.sampled_from((1, 20)),
    freshness_s=st.just(0),
)


@settings(max_examples=200, deadline=None)
@given(TREES, CHANGES, STORES, st.sampled_from((1, 2, 50)), OPTIONS)
def test_whatever_changes_meanwhile_no_skill_that_stays_is_lost_or_torn(
    keys: frozenset[str],
    change: tuple[frozenset[str], int, int],
    kind: type[MovingStore],
    limit: int,
    options: TreeOptions,
) -> None:
    """[SEP-2640 list] [ours: a skill twice is better than a skill lost]"""
    added, deleted, call = change
    before = objects_of(keys)
    gone = set(sorted(keys)[:: max(1, len(keys) // deleted)][:deleted]) if deleted else set()
    after = {key: data for key, data in objects_of(keys | added).items() if key not in gone}
    store = kind(before)

    def happen() -> None:
        for key in gone:
            store.erase(key)
        for key in added - gone:
            store.store(key, after[key])

    store.happens["list_page", call] = happen
    pages = asyncio.run(pages_of(provider_of(store, options=options), limit))
    for page in pages:
        assert len({entry.path for entry in page.entries}) == len(page.entries)
    listed = [entry for page in pages for entry in page.entries]
    stay = served_of(before) & served_of(after)
    assert stay <= {entry.path for entry in listed}
    if not gone and not any(key.endswith(SKILL_MD) for key in added):
        assert all([entry.path for entry in listed].count(path) == 1 for path in stay)
    for entry in listed:
        then, now = (set(model_entry(entry.path, objects).files or ()) for objects in (before, after))
        found = set(entry.files or ())
        assert entry.path not in stay or then & now <= found
        assert found <= then | now


async def test_the_digest_of_a_changed_file_is_never_told_from_memory() -> None:
    """[ours: results are kept by key, ETag and size]"""
    store = MemoryStore(ABC)
    provider = provider_of(store)
    for data in (b"one", b"two", b"one", b""):
        store.store("a/x.txt", data)
        entry = await provider.get(SkillPath("a"), ANYONE)
        assert entry is not None
        assert {file.path: file.digest for file in entry.files or ()}["x.txt"] == digest_of(data)


async def test_kept_contents_and_their_entry_stand_together_and_go_together() -> None:
    """[SEP-2640 integrity] [ours: an entry and the reads under it agree]"""
    store, clock = MemoryStore(ABC), Clock()
    provider = provider_of(store, options=TreeOptions(freshness_s=5), now=clock)
    await pages_of(provider, 50)
    store.store("a/x.txt", b"changed")
    old, new = ({SKILL_MD: skill_md("a"), "x.txt": data} for data in (b"x", b"changed"))
    for waited_s, files in ((4.9, old), (0.1, new)):
        clock.now_s += waited_s
        assert (await provider.read(SkillPath("a"), "x.txt", ANYONE)).data == files["x.txt"]
        assert await provider.get(SkillPath("a"), ANYONE) == entry_of("a", files)
        assert (await provider.list(Page(limit=50), ANYONE)).entries[0] == entry_of("a", files)


async def test_a_change_that_a_read_finds_is_in_the_next_list_and_get_at_once() -> None:
    """[ours: a changed object drops the entry at once, never the stale entry again]"""
    store = MemoryStore(ABC)
    provider = provider_of(store, options=options_of(freshness_s=3600))
    await pages_of(provider, 50)
    store.store("a/x.txt", b"changed")
    await provider.read(SkillPath("a"), "x.txt", ANYONE)
    new = entry_of("a", {SKILL_MD: skill_md("a"), "x.txt": b"changed"})
    assert (await provider.list(Page(limit=50), ANYONE)).entries[0] == new
    assert await provider.get(SkillPath("a"), ANYONE) == new


async def test_a_question_that_was_under_way_when_a_change_was_found_brings_no_old_entry_back() -> None:
    """[ours: never the stale entry again]"""
    store = HeldStore(ABC)
    provider = provider_of(store, options=options_of(freshness_s=3600))
    await provider.get(SkillPath("a"), ANYONE)
    store.holds = True
    listing = asyncio.create_task(provider.list(Page(limit=2), ANYONE))
    await store.held.wait()
    store.store("a/x.txt", b"changed")
    await provider.read(SkillPath("a"), "x.txt", ANYONE)
    store.go_on.set()
    await listing
    new = entry_of("a", {SKILL_MD: skill_md("a"), "x.txt": b"changed"})
    assert await provider.get(SkillPath("a"), ANYONE) == new
    assert (await provider.list(Page(limit=2), ANYONE)).entries[0] == new
