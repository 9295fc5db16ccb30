"""The release provider: pages over shards, entries, contents, what it asks the store, and what it does without it."""

import asyncio
import logging

import pytest

from gateway.errors import BlobRefused, ContentTooLarge, CursorRefused, ManifestRefused, NotServed, StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.provider import Page, WarmProvider, lies_within
from gateway.releases.repository import Repository
from gateway.skill.model import SkillEntry, SkillPath, digest_of
from gateway.tree.position import Place as TreePlace
from tests.conftest import REAL_KINDS
from tests.releases.stored import (
    ANYONE,
    FailingStore,
    Skill,
    damage,
    follower_of,
    get,
    listed,
    many,
    pages_of,
    provider_over,
    publish,
    read,
    store_release,
)
from tests.stores import Bucket
from tests.tree.odd_stores import CountingStore

LARGE = {"entry_cache_bytes": 64 * 1024 * 1024}


def first(limit: int = 50) -> Page:
    return Page(limit)


@pytest.mark.parametrize("limit", [1, 7, 50])
async def test_every_skill_is_listed_once_whatever_the_page_size(limit: int) -> None:
    """[SEP-2640 list] Over several shards, in the order of paths."""
    store, skills = MemoryStore(), many(500)
    release = await publish(Repository(store, ""), skills)
    assert len(release.shards) > 2
    provider = provider_over(store, follower := follower_of(store))
    await follower.look()
    assert await listed(provider, limit) == sorted((skill.entry for skill in skills), key=lambda entry: entry.path)


@pytest.mark.parametrize("bucket", ["memory", *REAL_KINDS], indirect=True)
async def test_what_was_published_is_what_is_served(bucket: Bucket) -> None:
    """[ours] Under a mount and a prefix, from every store; also odd names, and files that are no text."""
    files = {"a b.md": b"text", "d/é.txt": "é".encode(), "d/empty": b"", "x.bin": b"\x00\xff"}
    skills = [Skill("acme/billing/refunds", files=files), Skill("zoo")]
    async with bucket.open() as store:
        await publish(Repository(store, "here/"), skills)
        follower = follower_of(store, "here/")
        provider = provider_over(store, follower, mount=("team", "tools"), allow_binary=True)
        await follower.look()
        assert provider.namespaces == ("team/tools",)
        assert [entry.path for entry in await listed(provider)] == ["team/tools/acme/billing/refunds", "team/tools/zoo"]
        entry = await get(provider, "team/tools/acme/billing/refunds")
        assert entry is not None
        assert (entry.frontmatter, entry.files) == (skills[0].entry.frontmatter, skills[0].entry.files)
        for name, data in skills[0].contents.items():
            assert await read(provider, "team/tools/acme/billing/refunds", name) == data
        for outside in ("zoo", "acme/billing/refunds", "team/zoo", "team/tools", "team/tools/acme"):
            assert await get(provider, outside) is None
        with pytest.raises(NotServed):
            await read(provider, "team/tools/zoo", "x.bin")


async def test_a_page_costs_two_reads_cold_and_none_warm() -> None:
    """[ours] Over 2,000 skills; an entry costs one, a file one more."""
    store, skills = MemoryStore(), many(2000)
    await publish(Repository(store, ""), skills)
    counting = CountingStore(store)
    provider = provider_over(counting, follower := follower_of(counting), **LARGE)
    await follower.look()
    assert counting.calls == {"get": 2}  # the pointer and the index
    position: str | None = None
    asked: list[Page] = []
    while True:
        counting.reset()
        asked.append(Page(50, position=position))
        page = await provider.list(asked[-1], ANYONE)
        assert counting.calls.total() <= 2
        if (position := page.position) is None:
            break
    counting.reset()
    warm = [provider.warm_list(page, ANYONE) for page in asked]
    again = [await provider.list(page, ANYONE) for page in asked]
    assert all(one is not None and one is other for one, other in zip(warm, again, strict=True))
    assert sum(len(page.entries) for page in again) == 2000
    assert counting.calls.total() == 0

    cold = provider_over(counting, follower)
    assert await get(cold, skills[1000].path) == skills[1000].entry
    assert counting.calls == {"get": 1}
    await read(cold, skills[1000].path, "SKILL.md")
    assert counting.calls == {"get": 2}


@pytest.mark.parametrize("limit", [1, 7, 50])
@pytest.mark.parametrize(
    "roots", [("team-3",), ("team-1", "team-5", "none"), ("team-2/skill-2", "team-6/skill-6/x"), ("team",), ("zoo",)]
)
async def test_below_some_roots_alone_what_lies_there_is_listed_once(limit: int, roots: tuple[str, ...]) -> None:
    """[ours: what is not wanted is not read] Also where names come between a root and what lies below it."""
    store, skills = MemoryStore(), [*many(500), Skill("team-3-b/between"), Skill("team-3.b/between"), Skill("team-3")]
    await publish(Repository(store, ""), skills)
    provider = provider_over(store, follower := follower_of(store), mount=("hub",), **LARGE)
    await follower.look()
    listing = await listed(provider, limit, within=tuple(f"hub/{root}" for root in roots))
    wanted = sorted(skill.path for skill in skills if any(lies_within(skill.path, root) for root in roots))
    assert [entry.path for entry in listing] == [f"hub/{path}" for path in wanted]
    assert listing == await listed(provider, 50, within=tuple(f"hub/{root}" for root in roots))


async def test_a_few_skills_of_a_large_release_cost_the_shards_they_lie_in() -> None:
    """[ours] In one page; and they are in memory as such."""
    store, skills = MemoryStore(), [*many(5000), Skill("org/one"), Skill("org/two"), Skill("zoo/last")]
    await publish(Repository(store, ""), skills)
    counting = CountingStore(store)
    provider = provider_over(counting, follower := follower_of(counting), **LARGE)
    await follower.look()
    counting.reset()
    page = await provider.list(wanted := Page(50, within=("org", "zoo")), ANYONE)
    assert [entry.path for entry in page.entries] == ["org/one", "org/two", "zoo/last"]
    assert page.position is None
    assert counting.calls["get"] <= 2
    assert provider.warm_list(wanted, ANYONE) is page
    assert provider.warm_list(first(), ANYONE) is None


async def test_many_who_want_the_same_ask_once() -> None:
    """[ours] Single flight, for a shard and for a blob."""
    store, skills = MemoryStore(), many(5)
    await publish(Repository(store, ""), skills)
    provider = provider_over(store, follower := follower_of(store))
    await follower.look()
    store.calls.clear()
    pages = await asyncio.gather(*(provider.list(first(), ANYONE) for _ in range(20)))
    contents = await asyncio.gather(*(provider.read(SkillPath(skills[0].path), "SKILL.md", ANYONE) for _ in range(20)))
    assert store.calls == {"get": 2}
    assert len({id(page) for page in pages}) == len({id(content) for content in contents}) == 1


async def test_what_is_in_memory_is_said_without_asking_and_is_the_same_object() -> None:
    """[WarmProvider] None for what was not asked for before, and for what is not there."""
    store, skills = MemoryStore(), many(5)
    await publish(Repository(store, ""), skills)
    provider = provider_over(store, follower := follower_of(store))
    assert isinstance(provider, WarmProvider)
    path = SkillPath(skills[0].path)
    for _ in range(2):
        assert provider.warm_list(first(), ANYONE) is None
        assert provider.warm_get(path, ANYONE) is None
        assert provider.warm_read(path, "SKILL.md", ANYONE) is None
        await follower.look()
    page = await provider.list(first(), ANYONE)
    entry = await provider.get(path, ANYONE)
    content = await provider.read(path, "SKILL.md", ANYONE)
    store.calls.clear()
    assert provider.warm_list(first(), ANYONE) is page
    assert provider.warm_get(path, ANYONE) is entry
    assert any(one is entry for one in page.entries)
    assert provider.warm_read(path, "SKILL.md", ANYONE) is content
    assert provider.warm_get(SkillPath("nobody"), ANYONE) is None
    assert provider.warm_read(path, "nothing.md", ANYONE) is None
    assert store.calls.total() == 0


async def test_entries_of_a_shard_that_stays_stay_the_same_objects_over_a_swap() -> None:
    """[ours] What was rendered of them is still good."""
    store, skills = MemoryStore(), many(500)
    repository = Repository(store, "")
    await publish(repository, skills)
    provider = provider_over(store, follower := follower_of(store), **LARGE)
    await follower.look()
    before = {entry.path: entry for entry in await listed(provider)}
    changed = [Skill(skills[7].path, "Does more."), *skills[:7], *skills[8:]]
    await publish(repository, changed)
    assert await follower.look()
    now = {entry.path: entry for entry in await listed(provider)}
    others = [path for path in now if now[path] is not before[path]]
    assert skills[7].path in others
    assert len(others) < 300
    assert now[SkillPath(skills[7].path)].description == "Does more."


async def test_a_client_half_way_keeps_its_release_over_a_swap() -> None:
    """[ours] Though another one is current, and nothing of the old one is in memory any more."""
    store, skills = MemoryStore(), many(500)
    repository = Repository(store, "")
    await publish(repository, skills)
    provider = provider_over(store, follower := follower_of(store))
    await follower.look()
    begun = await provider.list(first(7), ANYONE)
    await publish(repository, [Skill("only")])
    assert await follower.look()
    for one in (provider, provider_over(store, follower)):
        rest = await listed(one, 7, begun.position)
        assert [*begun.entries, *rest] == sorted((skill.entry for skill in skills), key=lambda entry: entry.path)
        assert [entry.path for entry in await listed(one)] == ["only"]


async def test_a_cursor_of_a_release_that_is_gone_is_refused() -> None:
    """[ours] Its index, or a shard of it; the client begins again. One of a tree too, served here before."""
    store, skills = MemoryStore(), many(500)
    repository = Repository(store, "")
    old = await publish(repository, skills)
    follower = follower_of(store)
    await follower.look()
    begun = await provider_over(store, follower).list(first(7), ANYONE)
    await publish(repository, [Skill("only")])
    await follower.look()
    store.erase(repository.layout.shard(old.shards[-1].digest))
    with pytest.raises(CursorRefused):
        await listed(provider_over(store, follower), 7, begun.position)
    store.erase(repository.layout.index(old.id))
    fresh = follower_of(store)
    await fresh.look()
    with pytest.raises(CursorRefused):
        await provider_over(store, fresh).list(Page(7, position=begun.position), ANYONE)
    with pytest.raises(CursorRefused):
        await provider_over(store, follower).list(Page(7, position=TreePlace("token", "a").dump()), ANYONE)


async def test_a_blob_that_is_missing_or_wrong_fails_its_file_and_nothing_else() -> None:
    """[ours] -32603 for that file, with the key and the release for the log."""
    skill = Skill("kit", files={"lost.md": b"lost", "wrong.md": b"wrong!!", "long.md": b"x", "good.md": b"good"})
    store = MemoryStore()
    repository = Repository(store, "")
    release = await publish(repository, [skill])
    store.erase(repository.layout.blob(digest_of(b"lost")))
    for data in (b"wrong!!", b"x"):
        damage(store, repository.layout.blob(digest_of(data)))
    provider = provider_over(store, follower := follower_of(store))
    await follower.look()
    for name, word in (("lost.md", "not there"), ("wrong.md", "other bytes"), ("long.md", "more than 1 bytes")):
        with pytest.raises(BlobRefused, match=word) as refused:
            await read(provider, "kit", name)
        assert f"kit/{name} of release {release.id}" in str(refused.value)
        assert str(repository.layout.blob(digest_of(skill.contents[name]))) in str(refused.value)
    assert await read(provider, "kit", "good.md") == b"good"
    assert await listed(provider) == [skill.entry]
    await repository.store.put(repository.layout.blob(digest_of(b"lost")), b"lost")
    assert await read(provider, "kit", "lost.md") == b"lost"


async def test_a_shard_that_is_wrong_fails_what_lies_in_it() -> None:
    """[ours] Never half a page."""
    store, skills = MemoryStore(), many(500)
    repository = Repository(store, "")
    release = await publish(repository, skills)
    damage(store, repository.layout.shard(release.shards[1].digest))
    provider = provider_over(store, follower := follower_of(store))
    await follower.look()
    good, bad = release.shards[0].entries[0], release.shards[1].entries[0]
    assert await provider.get(good.path, ANYONE) == good
    for asking in (provider.get(bad.path, ANYONE), pages_of(provider, 50)):
        with pytest.raises(ManifestRefused, match="digest"):
            await asking


async def test_a_file_past_the_limit_is_not_sent() -> None:
    """[ours]"""
    store = MemoryStore()
    await publish(Repository(store, ""), [Skill("kit", files={"a.md": b"12345", "b.md": b"1234"})])
    provider = provider_over(store, follower := follower_of(store), max_file_bytes=4)
    await follower.look()
    with pytest.raises(ContentTooLarge, match="5 bytes"):
        await read(provider, "kit", "a.md")
    assert await read(provider, "kit", "b.md") == b"1234"


async def test_skills_with_binary_files_are_left_out_unless_they_are_allowed(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] One problem each, told once."""
    skills = [Skill("odd", files={"a.bin": b"\x00\xff"}), Skill("plain")]
    store = MemoryStore()
    await publish(Repository(store, ""), skills)
    follower = follower_of(store)
    await follower.look()
    refusing, allowing = provider_over(store, follower), provider_over(store, follower, allow_binary=True)
    for _ in range(2):
        assert await listed(refusing) == [skills[1].entry]
        assert await get(refusing, "odd") is None
        with pytest.raises(NotServed):
            await read(refusing, "odd", "SKILL.md")
    (problem,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert problem.startswith("odd: has the binary file 'a.bin'")
    assert await listed(allowing) == [skill.entry for skill in skills]
    content = await allowing.read(SkillPath("odd"), "a.bin", ANYONE)
    assert (content.data, content.allow_binary) == (b"\x00\xff", True)


async def test_a_skill_that_the_mount_makes_too_deep_is_left_out() -> None:
    """[SEP-2640] A page with it would be refused whole."""
    deep = "/".join(["a"] * 15)
    store = MemoryStore()
    await publish(Repository(store, ""), [Skill(deep), Skill("flat")])
    follower = follower_of(store)
    await follower.look()
    assert [entry.path for entry in await listed(provider_over(store, follower, mount=("m", "n")))] == ["m/n/flat"]
    assert len(await listed(provider_over(store, follower, mount=("m",)))) == 2


async def test_while_the_store_is_down_what_is_in_memory_is_served() -> None:
    """[ours] And the rest is a fault of the store."""
    store, skills = FailingStore(), many(5)
    await publish(Repository(store, ""), skills)
    provider = provider_over(store, follower := follower_of(store))
    await follower.look()
    entries = await listed(provider)
    await read(provider, skills[0].path, "SKILL.md")
    store.is_down = True
    assert not await follower.look()
    assert await listed(provider) == entries
    assert await read(provider, skills[0].path, "SKILL.md") == skills[0].contents["SKILL.md"]
    with pytest.raises(StoreUnavailable):
        await read(provider, skills[1].path, "SKILL.md")


async def test_memory_is_bounded_whatever_is_asked_for() -> None:
    """[ours] Without any room nothing is remembered, and everything is still answered."""
    store, skills = MemoryStore(), many(300)
    await publish(Repository(store, ""), skills)
    provider = provider_over(store, follower := follower_of(store), entry_cache_bytes=0, content_cache_bytes=0)
    await follower.look()
    assert len(await listed(provider)) == 300
    assert await read(provider, skills[0].path, "SKILL.md") == skills[0].contents["SKILL.md"]
    assert provider.warm_list(first(), ANYONE) is None
    assert provider.warm_get(SkillPath(skills[0].path), ANYONE) is None
    small = provider_over(store, follower, entry_cache_bytes=500_000)
    pages: list[SkillEntry] = await listed(small)
    assert len(pages) == 300
    assert 0 < small.fills[0].used_bytes <= 500_000


async def test_a_release_that_no_channel_points_at_is_not_served() -> None:
    """[ours] Until the pointer moves nobody sees anything of a publish; an empty release is one too."""
    store = MemoryStore()
    repository = Repository(store, "")
    await store_release(repository, many(3))
    provider = provider_over(store, follower := follower_of(store))
    assert not await follower.look()
    assert (await listed(provider), await get(provider, many(1)[0].path)) == ([], None)
    await publish(repository, [])
    assert await follower.look()
    assert await listed(provider) == []
