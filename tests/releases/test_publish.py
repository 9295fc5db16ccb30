"""Publishing: nobody sees half of it, wherever it stops, and whoever else publishes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gateway.errors import ManifestRefused, PublishConflict, PublishRefused, StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectKey
from gateway.releases.publish import Plan, Published, Step, Terms, publish
from gateway.releases.repository import Repository
from gateway.releases.signatures import check_signature, load_signing_key, new_signing_key, sign, trusted_keys
from gateway.skill.model import SkillPath, digest_of
from tests.releases.plans import AT, files_of, plan_of
from tests.releases.stopping import StoppingStore
from tests.stores import Bucket, S3Bucket

STABLE = Terms("stable", AT)
OLD, NEW = files_of(6), files_of(7, skill_0002=b"new")


async def published(repository: Repository, plan: Plan, terms: Terms = STABLE) -> tuple[Published, list[Step]]:
    steps: list[Step] = []
    return await publish(repository, plan, terms, steps.append), steps


async def contents_of(repository: Repository, channel: str = "stable") -> dict[str, bytes]:
    """Every file that a channel shows, each checked against its digest."""
    held = await repository.pointer(channel)
    assert held is not None
    index = await repository.index(held.pointer.current.release, held.pointer.current.index)
    contents: dict[str, bytes] = {}
    async for entry in repository.entries(index):
        for file in entry.files or ():
            blob = await repository.store.get(repository.layout.blob(file.digest), max_bytes=file.size)
            assert digest_of(blob.data) == file.digest
            contents[f"{entry.path}/{file.path}"] = blob.data
    return contents


@pytest.mark.parametrize("prefix", ["", "releases/of us/"])
async def test_what_is_published_is_there_and_the_channel_shows_it(bucket: Bucket, prefix: str) -> None:
    """[ours: atomic publish]"""
    terms = Terms("stable", AT, "first", {"commit": "abc"}, force_unconditional=bucket.kind == "juicefs")
    async with bucket.open() as store:
        repository = Repository(store, prefix)
        result, steps = await published(repository, await plan_of(OLD), terms)
        assert await contents_of(repository) == OLD
        assert {step.kind for step in steps} == {"blob", "shard", "index", "channel"}
        assert len(steps) == steps[0].total == 12 + result.shards + 2
        assert result.pointer == await repository.pointer("stable")
        assert [(move.release, move.message, move.labels) for move in result.pointer.pointer.moves] == [
            (result.release, "first", {"commit": "abc"})
        ]
        assert [key async for key in repository.keys(f"{prefix}scratch/")] == []


async def test_publishing_what_is_there_makes_one_call() -> None:
    """[ours: an unchanged tree makes at most 3 S3 calls]"""
    store = StoppingStore(MemoryStore())
    repository, plan = Repository(store, ""), await plan_of(files_of(300))
    first, _ = await published(repository, plan)
    store.calls.clear()
    again, steps = await published(repository, plan)
    assert (again.release, again.was_there, steps) == (first.release, True, [])
    assert store.calls == ["get"]


async def test_one_changed_file_uploads_one_blob_one_shard_the_index_and_the_channel() -> None:
    """[ours: a publish writes what changed]"""
    repository = Repository(MemoryStore(), "")
    await published(repository, await plan_of(files_of(600)))
    result, steps = await published(repository, await plan_of(files_of(600, skill_0321=b"new")))
    assert [step.kind for step in steps] == ["blob", "shard", "index", "channel"]
    assert (result.blobs, result.shards) == (1, 1)
    assert (await contents_of(repository))["team/skill-0321/notes.md"] == b"new"


async def test_wherever_a_publish_is_killed_the_old_release_serves_and_the_next_one_completes() -> None:
    """[ours: interrupt it anywhere]"""
    old, new = await plan_of(OLD), await plan_of(NEW)
    stopped_at = 0
    for is_done in (False, True):  # the call that was the last one did not take place, or it did
        calls, is_over = 0, False
        while not is_over:
            memory = MemoryStore()
            await publish(Repository(memory, ""), old, STABLE)
            store = StoppingStore(memory, after=calls, is_done=is_done)
            try:
                await publish(Repository(store, ""), new, STABLE)
                is_over = True
            except StoreUnavailable:
                stopped_at += 1
                seen = await contents_of(Repository(memory, ""))
                took_place = list(zip(store.calls, store.keys, strict=True))[: None if is_done else -1]
                moved = ("put", "channels/stable.json") in took_place
                assert seen == (NEW if moved else OLD)
            await publish(Repository(memory, ""), new, STABLE)
            assert await contents_of(Repository(memory, "")) == NEW
            calls += 1
    assert stopped_at > 2 * 10


@pytest.mark.parametrize("calls", [0, 3, 8, 12])
async def test_a_publish_that_is_killed_on_a_real_store_is_completed_by_the_next(
    moto_bucket: S3Bucket, calls: int
) -> None:
    """[ours: interrupt it anywhere]"""
    async with moto_bucket.open() as real:
        repository = Repository(real, "")
        await publish(repository, await plan_of(OLD), STABLE)
        with pytest.raises(StoreUnavailable):
            await publish(Repository(StoppingStore(real, after=calls), ""), await plan_of(NEW), STABLE)
        assert await contents_of(repository) == OLD
        await publish(repository, await plan_of(NEW), STABLE)
        assert await contents_of(repository) == NEW


@pytest.mark.parametrize("is_new", [False, True], ids=["channel there", "channel new"])
async def test_of_two_publishes_at_once_one_wins_and_the_other_says_so(
    conditional_bucket: S3Bucket, is_new: bool
) -> None:
    """[ours: one wins, nothing is lost]"""
    async with conditional_bucket.open() as real:
        if not is_new:
            await publish(Repository(real, ""), await plan_of(OLD), STABLE)
        plan, winner = await plan_of(files_of(5)), await plan_of(NEW)

        async def overtake() -> None:
            await publish(Repository(real, ""), winner, STABLE)

        store = StoppingStore(real, before_put=("channels/stable.json", overtake))
        with pytest.raises(PublishConflict, match="'stable' was moved by somebody else"):
            await publish(Repository(store, ""), plan, STABLE)
        assert await contents_of(Repository(real, "")) == NEW
        again = await publish(Repository(real, ""), plan, STABLE)
        assert [move.release for move in again.pointer.pointer.moves[:2]] == [plan.release.id, winner.release.id]


async def test_of_many_publishes_at_once_every_one_that_won_is_on_record(conditional_bucket: S3Bucket) -> None:
    """[ours: nothing is lost]"""
    plans = [await plan_of(files_of(3, skill_0001=b"%d" % number)) for number in range(5)]
    async with conditional_bucket.open() as store:
        repository = Repository(store, "")
        tried = (publish(repository, plan, STABLE) for plan in plans)
        outcomes = await asyncio.gather(*tried, return_exceptions=True)
        won = {one.release for one in outcomes if isinstance(one, Published)}
        lost = [one for one in outcomes if not isinstance(one, Published)]
        assert all(isinstance(one, PublishConflict) for one in lost)
        held = await repository.pointer("stable")
        assert held is not None
        assert {move.release for move in held.pointer.moves} == won
        assert len(held.pointer.moves) == len(won) >= 1


async def test_an_answer_that_was_lost_is_no_conflict() -> None:
    """[ours: a write that is tried again after it took place]"""
    memory = MemoryStore()
    store = StoppingStore(memory, repeats_put="channels/stable.json")
    result = await publish(Repository(store, ""), await plan_of(OLD), STABLE)
    assert not result.was_there
    assert await contents_of(Repository(memory, "")) == OLD


async def test_a_file_that_changes_while_it_is_published_is_refused_and_the_channel_stays() -> None:
    """[ours: detected by digest]"""
    repository = Repository(MemoryStore(), "")
    await publish(repository, await plan_of(OLD), STABLE)
    plan = await plan_of(NEW)

    async def other(path: SkillPath, file_path: str) -> bytes:
        return await plan.read(path, file_path) + b"!"

    with pytest.raises(PublishRefused, match="changed while it was published"):
        await publish(repository, Plan(plan.release, other), STABLE)
    assert await contents_of(repository) == OLD


async def test_a_store_that_ignores_conditions_is_refused_unless_told_to_go_on(juicefs_bucket: S3Bucket) -> None:
    """[ours: detected by trying]"""
    async with juicefs_bucket.open() as store:
        repository = Repository(store, "")
        with pytest.raises(PublishRefused, match="--force-unconditional"):
            await publish(repository, await plan_of(OLD), STABLE)
        assert [key async for key in repository.keys("")] == []
        await publish(repository, await plan_of(OLD), Terms("stable", AT, force_unconditional=True))
        assert await contents_of(repository) == OLD


async def _cut(memory: MemoryStore, key: ObjectKey) -> None:
    memory.store(key, b"{")


async def _remove(memory: MemoryStore, key: ObjectKey) -> None:
    await memory.delete(key)


@pytest.mark.parametrize("harm", [_cut, _remove])
@pytest.mark.parametrize("kind", ["index", "shard"])
async def test_a_release_that_is_broken_vouches_for_nothing(
    kind: str, harm: Callable[[MemoryStore, ObjectKey], Awaitable[None]]
) -> None:
    """[ours: the next publish completes]"""
    memory = MemoryStore()
    repository, plan = Repository(memory, ""), await plan_of(OLD)
    await publish(repository, plan, STABLE)
    layout = repository.layout
    await harm(
        memory, layout.index(plan.release.id) if kind == "index" else layout.shard(plan.release.shards[0].digest)
    )
    await publish(repository, await plan_of(NEW), STABLE)
    assert await contents_of(repository) == NEW


async def test_a_pointer_that_is_no_pointer_is_named_and_left_alone() -> None:
    """[ours: bad input]"""
    memory = MemoryStore({"channels/stable.json": b"not JSON"})
    with pytest.raises(ManifestRefused, match="pointer of channel 'stable' is no JSON"):
        await publish(Repository(memory, ""), await plan_of(OLD), STABLE)
    assert [key async for key in Repository(memory, "").keys("")] == ["channels/stable.json"]


async def test_a_signed_release_has_its_signature_before_the_channel_moves() -> None:
    """[ours: a gateway that wants signatures never sees one without]"""
    pem, public = new_signing_key()
    key = load_signing_key(pem.encode())
    repository, plan = Repository(MemoryStore(), ""), await plan_of(OLD)
    terms = Terms("stable", AT, sign=lambda index: sign(index, key))
    _, steps = await published(repository, plan, terms)
    assert [step.kind for step in steps][-2:] == ["signature", "channel"]
    document = await repository.store.get(repository.layout.signatures(plan.release.id), max_bytes=10_000)
    assert check_signature(document.data, plan.release.data, trusted_keys([public]), plan.release.id)


async def test_a_release_that_is_there_can_be_signed_later() -> None:
    """[ours]"""
    pem, public = new_signing_key()
    key = load_signing_key(pem.encode())
    repository, plan = Repository(MemoryStore(), ""), await plan_of(OLD)
    await published(repository, plan)
    result, steps = await published(repository, plan, Terms("stable", AT, sign=lambda index: sign(index, key)))
    assert (result.was_there, [step.kind for step in steps]) == (True, ["signature"])
    document = await repository.store.get(repository.layout.signatures(plan.release.id), max_bytes=10_000)
    assert check_signature(document.data, plan.release.data, trusted_keys([public]), plan.release.id)


async def test_a_release_is_found_by_its_id_its_channel_and_how_many_moves_ago() -> None:
    """[ours]"""
    repository = Repository(MemoryStore(), "")
    old, new = await plan_of(OLD), await plan_of(NEW)
    for plan in (old, new):
        await publish(repository, plan, STABLE)
    assert await repository.channels() == ["stable"]
    names = {"stable": new, "stable~0": new, "stable~1": old, old.release.id: old}
    assert {name: await repository.find(name) for name in names} == {
        name: (plan.release.id, plan.release.digest) for name, plan in names.items()
    }
