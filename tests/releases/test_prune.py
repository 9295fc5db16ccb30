"""Pruning: nothing goes that a kept release needs, nor anything young."""

import time
from collections.abc import Callable

import pytest

from gateway.errors import ManifestRefused, ObjectMissing, PublishConflict, ReleaseMissing
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectHead, ObjectKey, ObjectSlice
from gateway.releases.documents import Move, dump_pointer
from gateway.releases.moves import repoint
from gateway.releases.prune import Rules, prune
from gateway.releases.publish import Plan, Terms, publish
from gateway.releases.repository import Repository
from gateway.releases.verify import verify
from gateway.skill.model import digest_of
from tests.releases.plans import AT, files_of, plan_of
from tests.releases.stopping import StoppingStore
from tests.stores import S3Bucket

DAY_S = 86_400.0
WEEK_S = 7 * DAY_S


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def plans(count: int) -> list[Plan]:
    """Releases of three skills, each with another text in one of them."""
    return [await plan_of(files_of(3, skill_0001=f"text {number}".encode())) for number in range(count)]


async def daily(store: MemoryStore, clock: Clock, count: int, channel: str = "stable") -> tuple[Repository, list[Plan]]:
    """A release a day; afterwards it is a day after the last."""
    repository, made = Repository(store, "of us/"), await plans(count)
    for plan in made:
        await publish(repository, plan, Terms(channel, AT))
        clock.now += DAY_S
    return repository, made


async def keys(repository: Repository) -> set[str]:
    return {key async for key in repository.keys(repository.layout.prefix)}


async def is_whole(repository: Repository, plan: Plan) -> bool:
    index, _ = await repository.index_of(plan.release.id)
    return not (await verify(repository, [index])).wrong


async def test_what_only_old_releases_need_goes_and_the_kept_ones_are_whole() -> None:
    """[ours] Ten releases, two kept, none of the others younger than the grace."""
    clock = Clock()
    store = MemoryStore(now=clock)
    repository, made = await daily(store, clock, 10)
    clock.now += WEEK_S
    before = await keys(repository)
    dry = await prune(repository, Rules(2, WEEK_S, clock.now), is_dry=True)
    assert await keys(repository) == before
    pruned = await prune(repository, Rules(2, WEEK_S, clock.now))
    assert pruned == dry
    assert pruned.kept == (made[9].release.id, made[8].release.id)
    assert set(pruned.gone) == {plan.release.id for plan in made[:8]}
    assert before - await keys(repository) == set(pruned.removed)
    assert len(pruned.removed) == 8 * 3, "an index, a shard and a blob of each"
    assert [await is_whole(repository, plan) for plan in made[8:]] == [True, True]
    assert (await prune(repository, Rules(2, WEEK_S, clock.now))).removed == ()


async def test_indexes_go_before_shards_and_shards_before_blobs() -> None:
    """[ours] Wherever it stops, nothing is left that names what is gone."""
    clock = Clock()
    store = MemoryStore(now=clock)
    repository, _ = await daily(store, clock, 4)
    pruned = await prune(repository, Rules(1, 0, clock.now + 1))
    kinds = [key.split("/")[1] for key in pruned.removed]
    assert kinds == ["releases"] * 3 + ["shards"] * 3 + ["blobs"] * 3


async def test_a_release_younger_than_the_grace_stays_whole_with_what_it_shares_with_old_ones() -> None:
    """[ours] A publish does not write anew what the release before it had."""
    clock = Clock()
    store = MemoryStore(now=clock)
    repository = Repository(store, "of us/")
    old, young, current = [
        await plan_of(files_of(3, skill_0001=one, skill_0002=two))
        for one, two in ((b"shared", b"old"), (b"shared", b"young"), (b"current", b"current"))
    ]
    await publish(repository, old, Terms("stable", AT))
    clock.now += WEEK_S
    for plan in (young, current):
        await publish(repository, plan, Terms("stable", AT))
    clock.now += DAY_S
    pruned = await prune(repository, Rules(1, 2 * DAY_S, clock.now))
    assert (pruned.kept, pruned.gone) == ((current.release.id, young.release.id), (old.release.id,))
    assert repository.layout.blob(digest_of(b"old")) in pruned.removed
    assert [await is_whole(repository, plan) for plan in (young, current)] == [True, True]


async def test_what_any_channel_points_at_stays() -> None:
    """[ours]"""
    clock = Clock()
    store = MemoryStore(now=clock)
    repository, made = await daily(store, clock, 4)
    first = made[0].release
    await repoint(repository, "pinned", None, Move(first.id, first.digest, AT, "promote"))
    pruned = await prune(repository, Rules(1, 0, clock.now + 1))
    assert set(pruned.kept) == {first.id, made[3].release.id}
    assert await is_whole(repository, made[0])


async def test_what_a_publish_left_half_way_goes_after_the_grace_and_what_is_not_ours_stays() -> None:
    """[ours]"""
    clock = Clock()
    store = MemoryStore(now=clock)
    repository, _ = await daily(store, clock, 1)
    layout = repository.layout
    left = {layout.blob(digest_of(b"left")), layout.shard(digest_of(b"left")), layout.scratch("conditions-" + "0" * 16)}
    foreign = {f"{layout.blobs}README", f"{layout.releases}x.json", f"{layout.blobs}ab/cd", "blobs/sha256/elsewhere"}
    for key in left | foreign:
        store.store(key, b"left")
    assert (await prune(repository, Rules(1, WEEK_S, clock.now))).young == 3
    clock.now += WEEK_S
    assert set((await prune(repository, Rules(1, WEEK_S, clock.now))).removed) == left
    for key in foreign:
        assert (await store.get(ObjectKey(key), max_bytes=9)).data == b"left"


async def test_an_object_without_a_date_stays() -> None:
    """[ours: what is not known to be old is young]"""

    class DatelessStore(MemoryStore):
        async def head(self, key: ObjectKey) -> ObjectHead:
            head = await super().head(key)
            return ObjectHead(head.size, head.etag, head.media_type, head.sha256)

    clock = Clock()
    repository, made = await daily(DatelessStore(now=clock), clock, 3)
    pruned = await prune(repository, Rules(1, 0, clock.now + 1))
    assert (pruned.removed, len(pruned.kept)) == ((), 3)
    assert [await is_whole(repository, plan) for plan in made] == [True] * 3


class MeetingStore(MemoryStore):
    """Something happens once, before the key that is named is read or written, or after it was deleted."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(now=clock)
        self.before: dict[tuple[str, str], Callable[[], object]] = {}

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        self._meet("get", key)
        return await super().get(key, max_bytes=max_bytes, if_match=if_match)

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        self._meet("put", key)
        return await super().put(key, data, media_type=media_type, if_match=if_match, if_absent=if_absent)

    async def delete(self, key: ObjectKey) -> None:
        await super().delete(key)
        self._meet("delete", key)

    def _meet(self, method: str, key: str) -> None:
        if happening := self.before.pop((method, key), None):
            happening()


async def test_a_rollback_to_a_release_that_is_going_brings_it_back() -> None:
    """[ours] It looked for the index before that went; the channel moved before the shards did."""
    clock = Clock()
    store = MeetingStore(clock)
    repository, made = await daily(store, clock, 3)
    back, pointer = made[0].release, await repository.pointer("stable")
    assert pointer is not None
    moved = pointer.pointer.moved(Move(back.id, back.digest, AT, "rollback"))
    key = repository.layout.index(back.id)
    store.before["delete", key] = lambda: store.store(repository.layout.channel("stable"), dump_pointer(moved))
    pruned = await prune(repository, Rules(1, 0, clock.now + 1))
    assert back.id in pruned.kept
    assert (back.id in pruned.gone, key in pruned.removed) == (False, False)
    assert await is_whole(repository, made[0])


async def test_a_release_that_somebody_publishes_again_meanwhile_stays() -> None:
    """[ours] Its index was old when it was looked at, and is young right before it would go; so begin again."""
    clock = Clock()
    store = MeetingStore(clock)
    repository, made = await daily(store, clock, 4)
    again = made[1].release
    key = repository.layout.index(again.id)
    store.before["get", key] = lambda: store.store(key, again.data)
    pruned = await prune(repository, Rules(1, DAY_S, clock.now))
    assert set(pruned.kept) == {made[3].release.id, again.id}
    assert set(pruned.gone) == {made[0].release.id, made[2].release.id}
    assert await is_whole(repository, made[1])


@pytest.mark.parametrize("step", ["first blob", "shard", "index", "channel"])
async def test_a_prune_in_the_middle_of_a_publish_takes_nothing_from_it(step: str) -> None:
    """[ours] What is published again lies there already, as old as can be, and nobody else needs it."""
    clock = Clock()
    store = MemoryStore(now=clock)
    repository, made = await daily(store, clock, 3)
    again, layout = made[0].release, repository.layout
    keys_by_step = {
        "first blob": layout.blob(digest_of(b"text 0")),
        "shard": layout.shard(again.shards[0].digest),
        "index": layout.index(again.id),
        "channel": layout.channel("stable"),
    }
    gone: list[str] = []

    async def prune_now() -> None:
        gone.extend((await prune(repository, Rules(1, DAY_S, clock.now))).gone)

    meeting = StoppingStore(store, before_put=(keys_by_step[step], prune_now))
    await publish(Repository(meeting, "of us/"), made[0], Terms("stable", AT))
    assert made[1].release.id in gone
    assert await is_whole(repository, made[0])


async def test_a_rollback_whose_release_goes_meanwhile_leaves_the_channel_where_it_was() -> None:
    """[ours]"""
    clock = Clock()
    store = MeetingStore(clock)
    repository, made = await daily(store, clock, 2)
    back, held = made[0].release, await repository.pointer("stable")
    assert held is not None
    store.before["put", repository.layout.channel("stable")] = lambda: store.erase(repository.layout.index(back.id))
    with pytest.raises(ReleaseMissing, match="was pruned"):
        await repoint(repository, "stable", held, Move(back.id, back.digest, AT, "rollback"))
    after = await repository.pointer("stable")
    assert after is not None
    assert after.pointer.current.release == made[1].release.id


async def test_channels_that_move_all_the_while_end_it_before_anything_goes() -> None:
    """[ours: begun again twice]"""

    class RestlessStore(MemoryStore):
        is_restless = False

        async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
            found = await super().get(key, max_bytes=max_bytes, if_match=if_match)
            if self.is_restless and "/channels/" in key:
                self.store(key, found.data + b" ")
            return found

    clock = Clock()
    store = RestlessStore(now=clock)
    repository, _ = await daily(store, clock, 3)
    before, store.is_restless = await keys(repository), True
    with pytest.raises(PublishConflict, match="channels moved 3 times"):
        await prune(repository, Rules(1, 0, clock.now + 1))
    assert await keys(repository) == before


@pytest.mark.parametrize("broken", ["pointer", "index", "current", "shard"])
async def test_what_is_kept_and_cannot_be_read_ends_it_before_anything_goes(broken: str) -> None:
    """[ours: fails closed]"""
    clock = Clock()
    store = MemoryStore(now=clock)
    repository, made = await daily(store, clock, 3)
    layout, current = repository.layout, made[2].release
    if broken == "current":
        store.erase(layout.index(current.id))
    else:
        keys_by_kind = {
            "pointer": layout.channel("stable"),
            "index": layout.index(current.id),
            "shard": layout.shard(current.shards[0].digest),
        }
        store.store(keys_by_kind[broken], b"no JSON")
    before = await keys(repository)
    with pytest.raises((ManifestRefused, ReleaseMissing)):
        await prune(repository, Rules(1, 0, clock.now + 1))
    assert await keys(repository) == before


async def test_a_real_store_is_pruned_by_the_dates_it_keeps(conditional_bucket: S3Bucket) -> None:
    """[S3 Last-Modified]"""
    made = await plans(3)
    async with conditional_bucket.open() as store:
        repository = Repository(store, "of us/")
        for plan in made:
            await publish(repository, plan, Terms("stable", AT))
        assert (await prune(repository, Rules(1, DAY_S, time.time()))).removed == ()
        pruned = await prune(repository, Rules(1, DAY_S, time.time() + 2 * DAY_S))
        assert set(pruned.gone) == {plan.release.id for plan in made[:2]}
        assert await is_whole(repository, made[2])
        with pytest.raises(ObjectMissing):
            await store.head(repository.layout.blob(digest_of(b"text 0")))
