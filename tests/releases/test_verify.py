"""Verifying: what is missing or wrong is named, and nothing else."""

import pytest

from gateway.errors import ReleaseMissing
from gateway.local.memory import MemoryStore
from gateway.releases.publish import Terms, publish
from gateway.releases.repository import Repository
from gateway.releases.verify import WrongObject, verify
from gateway.skill.model import digest_of
from tests.releases.plans import AT, files_of, plan_of
from tests.stores import S3Bucket

FILES = files_of(5)


async def test_a_release_as_it_was_published_is_all_right(conditional_bucket: S3Bucket) -> None:
    """[ours] SeaweedFS and moto keep a SHA-256, so a quick look reads no blob."""
    plan = await plan_of(FILES)
    async with conditional_bucket.open() as store:
        repository = Repository(store, "of us/")
        await publish(repository, plan, Terms("stable", AT))
        for is_quick in (False, True):
            report = await verify(repository, [plan.release.index], is_quick=is_quick)
            assert (report.wrong, report.shards, report.blobs) == ([], len(plan.release.shards), 10)
            assert report.size_bytes == sum(map(len, FILES.values()))


async def test_each_wrong_object_is_named_with_what_is_wrong_about_it() -> None:
    """[ours] A shard that is gone takes its blobs out of sight, so it is another one here."""
    store = MemoryStore()
    repository, plan = Repository(store, ""), await plan_of(FILES)
    await publish(repository, plan, Terms("stable", AT))
    gone, other = (repository.layout.blob(digest_of(name)) for name in (b"skill-0000", b"skill-0001"))
    store.erase(gone)
    store.store(other, b"skill-0009", checksum=False)
    expected = [
        WrongObject(gone, "is not there"),
        WrongObject(other, f"holds 10 bytes with the digest {digest_of(b'skill-0009')}"),
    ]
    for is_quick in (False, True):
        report = await verify(repository, [plan.release.index], is_quick=is_quick)
        assert report.wrong == sorted(expected, key=lambda wrong: wrong.key)
        assert report.blobs == 10


async def test_a_shard_that_is_not_right_is_named() -> None:
    """[ours]"""
    store = MemoryStore()
    repository, plan = Repository(store, ""), await plan_of(FILES)
    await publish(repository, plan, Terms("stable", AT))
    key = repository.layout.shard(plan.release.shards[0].digest)
    store.store(key, b"{}")
    report = await verify(repository, [plan.release.index])
    assert [(wrong.key, wrong.detail.partition(" sha256:")[0]) for wrong in report.wrong] == [
        (key, "the shard has the digest")
    ]
    store.erase(key)
    report = await verify(repository, [plan.release.index])
    assert [wrong.detail.endswith("is not there") for wrong in report.wrong] == [True]


async def test_quick_reads_only_what_has_no_checksum() -> None:
    """[ours]"""
    store = MemoryStore()
    repository, plan = Repository(store, ""), await plan_of(FILES)
    await publish(repository, plan, Terms("stable", AT))
    store.store(repository.layout.blob(digest_of(b"skill-0000")), b"skill-0000", checksum=False)
    store.calls.clear()
    await verify(repository, [plan.release.index], is_quick=True)
    assert store.calls == {"get": len(plan.release.shards), "head": 10, "stream": 1}


async def test_releases_that_share_objects_are_looked_at_once() -> None:
    """[ours]"""
    store = MemoryStore()
    repository, first, second = Repository(store, ""), await plan_of(FILES), await plan_of(files_of(6))
    for plan in (first, second):
        await publish(repository, plan, Terms("stable", AT))
    assert (await verify(repository, [first.release.index, second.release.index])).blobs == 12


async def test_a_release_that_does_not_exist_is_named() -> None:
    """[ours]"""
    with pytest.raises(ReleaseMissing, match="there is no release '00000000000000000000'"):
        await Repository(MemoryStore(), "").find("0" * 20)
