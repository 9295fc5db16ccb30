"""Following a channel: when a release becomes current, and what keeps the old one."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from gateway.errors import ChannelMissing, ManifestRefused, ReleaseMissing, SignatureRefused, StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.releases.documents import Move, Pointer, dump_pointer
from gateway.releases.follower import Follower
from gateway.releases.opened import Indexes, OpenRelease
from gateway.releases.repository import Repository
from gateway.releases.updates import updated_uris
from gateway.skill.model import digest_of
from tests.releases.plans import AT
from tests.releases.stored import (
    FailingStore,
    Skill,
    damage,
    follower_of,
    listed,
    many,
    point,
    provider_over,
    publish,
    store_release,
)
from tests.stores import S3Bucket


class Swaps:
    """What a follower told of."""

    def __init__(self) -> None:
        self.seen: list[tuple[str | None, str]] = []

    async def __call__(self, before: OpenRelease | None, after: OpenRelease) -> None:
        self.seen.append((before.id if before else None, after.id))


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_look_costs_one_head_while_the_channel_stands() -> None:
    """[ours]"""
    store = MemoryStore()
    await publish(Repository(store, ""), many(3))
    follower = follower_of(store)
    assert await follower.look()
    store.calls.clear()
    for _ in range(3):
        assert not await follower.look()
    assert store.calls == {"head": 3}


async def test_a_channel_that_moves_swaps_and_tells_and_goes_back_by_a_rollback(conditional_bucket: S3Bucket) -> None:
    """[ours] A publish of the same release moves nothing."""
    async with conditional_bucket.open() as store:
        repository, swaps = Repository(store, "p/"), Swaps()
        follower = follower_of(store, "p/", on_swap=swaps)
        one = await publish(repository, [Skill("a")])
        await follower.look()
        two = await publish(repository, [Skill("a"), Skill("b")])
        await follower.look()
        await point(repository, two)
        await follower.look()
        await point(repository, one)
        await follower.look()
        assert swaps.seen == [(None, one.id), (one.id, two.id), (two.id, one.id)]
        assert follower.current is not None
        assert follower.current.id == one.id


async def test_without_a_channel_nothing_is_served_and_it_says_so() -> None:
    """[ours] Naming channel and prefix; the first publish is found."""
    store = MemoryStore()
    follower = follower_of(store, "here/")
    with pytest.raises(StoreUnavailable, match="not answered yet"):
        await follower.ask()
    assert not await follower.look()
    with pytest.raises(ChannelMissing, match=r"'stable' under 'here/channels/'") as missing:
        await follower.ask()
    assert missing.value.reason == "channel_missing"
    assert follower.serving().index.skills == 0
    await publish(Repository(store, "here/"), many(2))
    assert await follower.look()
    await follower.ask()
    assert follower.serving().index.skills == 2


def _pointer_to(data: bytes) -> bytes:
    digest = digest_of(data)
    return dump_pointer(Pointer((Move(digest.removeprefix("sha256:")[:20], digest, AT, "publish"),)))


BROKEN = {
    "no JSON": (b"{", ManifestRefused),
    "another format": (b'{"format":2,"moves":[]}', ManifestRefused),
    "no moves": (b'{"format":1,"moves":[]}', ManifestRefused),
    "nothing at all": (b"", ManifestRefused),
    "an index that is missing": (_pointer_to(b"nobody wrote this"), ReleaseMissing),
}


@pytest.mark.parametrize("what", BROKEN)
async def test_a_broken_pointer_keeps_the_old_release(what: str, caplog: pytest.LogCaptureFixture) -> None:
    """[ours] Told once, and when it is over; without an old release it is why nothing is served."""
    data, error = BROKEN[what]
    store = MemoryStore()
    repository = Repository(store, "")
    release = await publish(repository, many(3))
    follower = follower_of(store)
    await follower.look()
    provider = provider_over(store, follower)
    pointer = repository.layout.channel("stable")
    good = (await store.get(pointer, max_bytes=10_000)).data
    store.store(pointer, data)
    fresh = follower_of(store)
    for _ in range(3):
        assert not await follower.look()
        assert not await fresh.look()
    assert len(await listed(provider)) == 3
    await follower.ask()
    for asking in (fresh.ask(), listed(provider_over(store, fresh))):
        with pytest.raises(error):
            await asking
    assert len(warnings(caplog)) == 2
    assert f"release {release.id} is served on" in warnings(caplog)[0]
    store.store(pointer, good)
    assert not await follower.look()
    assert await fresh.look()


async def test_an_index_with_other_bytes_keeps_the_old_release(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] Until the right ones are there."""
    store = MemoryStore()
    repository = Repository(store, "")
    old = await publish(repository, many(3))
    follower = follower_of(store)
    await follower.look()
    new = await store_release(repository, many(4))
    damage(store, repository.layout.index(new.id))
    await point(repository, new)
    for _ in range(2):
        assert not await follower.look()
    assert follower.serving().id == old.id
    assert len(warnings(caplog)) == 1
    await store.put(repository.layout.index(new.id), new.data)
    assert await follower.look()
    assert follower.serving().id == new.id


async def test_a_channel_that_goes_away_keeps_the_old_release() -> None:
    """[ours]"""
    store = MemoryStore()
    repository = Repository(store, "")
    release = await publish(repository, many(3))
    follower = follower_of(store)
    await follower.look()
    store.erase(repository.layout.channel("stable"))
    assert not await follower.look()
    assert follower.serving().id == release.id


async def test_a_store_that_is_down_keeps_the_old_release(caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    store = FailingStore()
    await publish(Repository(store, ""), many(3))
    follower, late = follower_of(store), follower_of(store)
    await follower.look()
    store.is_down = True
    for _ in range(3):
        assert not await follower.look()
        assert not await late.look()
    await follower.ask()
    for asking in (late.ask(), listed(provider_over(store, late))):
        with pytest.raises(StoreUnavailable, match="down"):
            await asking
    assert len(warnings(caplog)) == 2
    store.is_down = False
    assert not await follower.look()
    assert await late.look()
    assert len(warnings(caplog)) == 2


async def test_a_release_that_is_refused_is_never_served() -> None:
    """[ours: signatures] Not when it becomes current, and not by a cursor or by name."""
    store = MemoryStore()
    repository = Repository(store, "")
    good = await publish(repository, many(3))

    async def verify(release: str, index: bytes) -> None:
        if index != good.data:
            raise SignatureRefused(f"release {release} is not signed")

    indexes = Indexes(repository, verify=verify)
    follower = Follower(indexes, "stable")
    assert await follower.look()
    bad = await publish(repository, many(4))
    assert not await follower.look()
    assert follower.serving().id == good.id
    named = Follower(indexes, "stable", release=bad.id)
    assert not await named.look()
    for refused in (named.ask(), indexes.open(bad.id, bad.digest)):
        with pytest.raises(SignatureRefused):
            await refused


async def test_a_named_release_is_served_whatever_the_channel_says() -> None:
    """[ours: pin] Nothing is asked once it is there; until then again and again."""
    store = MemoryStore()
    repository = Repository(store, "")
    release = await store_release(repository, many(3))
    store.erase(repository.layout.index(release.id))
    follower = follower_of(store, release=release.id)
    assert not await follower.look()
    with pytest.raises(ReleaseMissing, match=release.id):
        await follower.ask()
    await store.put(repository.layout.index(release.id), release.data)
    await publish(repository, many(4))
    assert await follower.look()
    store.calls.clear()
    assert not await follower.look()
    assert store.calls.total() == 0
    assert len(await listed(provider_over(store, follower))) == 3


async def test_an_index_is_read_once_for_as_long_as_it_is_remembered() -> None:
    """[ours] A rollback costs the pointer alone."""
    store = MemoryStore()
    repository = Repository(store, "")
    one = await publish(repository, many(3))
    follower = follower_of(store)
    await follower.look()
    await publish(repository, many(4))
    await follower.look()
    await point(repository, one)
    store.calls.clear()
    assert await follower.look()
    assert store.calls == {"head": 1, "get": 1}


@pytest.mark.parametrize("mount", [(), ("m",)], ids=["bare", "mounted"])
async def test_a_swap_names_the_files_with_other_bytes(mount: Any) -> None:
    """[MCP resources/updated] Only those that both releases have, and only shards that differ are read."""
    store = MemoryStore()
    repository = Repository(store, "")
    rest = many(500)
    kit = Skill("kit", files={"a b.md": b"1", "same.md": b"1", "gone.md": b"1"})
    follower = follower_of(store)
    provider = provider_over(store, follower, mount=mount)
    await publish(repository, [kit, Skill("left"), *rest])
    await follower.look()
    before = follower.serving()
    await publish(repository, [Skill("kit", files={"a b.md": b"2", "same.md": b"1", "new.md": b"1"}), *rest])
    await follower.look()
    store.calls.clear()
    uris = await updated_uris(before, follower.serving(), provider.entries)
    assert uris == (f"skill://{'/'.join((*mount, 'kit'))}/a%20b.md",)
    assert store.calls.total() <= 4


async def test_a_look_that_tells_where_the_channel_points_is_dated_and_others_are_counted() -> None:
    """[ours] By when it began: what it says may be no later."""
    store = FailingStore()
    repository = Repository(store, "")
    clock = iter(datetime(2026, 1, 1, minute=minute, tzinfo=UTC) for minute in range(10))
    follower = follower_of(store, now=lambda: next(clock))
    await follower.look()
    assert (follower.looked_at, follower.failed_looks) == (None, {"channel_missing": 1})
    await publish(repository, many(3))
    await follower.look()
    await follower.look()
    store.is_down = True
    await follower.look()
    assert follower.looked_at == datetime(2026, 1, 1, minute=2, tzinfo=UTC)
    assert follower.failed_looks == {"channel_missing": 1, "store_unavailable": 1}


async def test_a_named_release_follows_no_channel() -> None:
    """[ours: pin]"""
    store = MemoryStore()
    release = await publish(Repository(store, ""), many(3))
    follower = follower_of(store, release=release.id)
    assert await follower.look()
    assert (follower.channel, follower.looked_at) == ("", None)
    assert follower_of(store).channel == "stable"
