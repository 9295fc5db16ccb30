"""Objects that may not be read: one takes its skill away and is named, and when none may be read all fails.

Policies of the bucket deny them, on the stores that keep to policies; moto has archives too.
"""

import pytest

from gateway.errors import AccessDenied
from gateway.provider import Page
from gateway.skill.model import Problem, SkillPath
from tests.stores import S3Bucket
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import ANYONE, paths_of, provider_of, skill_md

KEEP_POLICIES = pytest.mark.parametrize("s3_bucket", ["seaweedfs", "moto"], indirect=True)
ARCHIVES = pytest.mark.parametrize("s3_bucket", ["moto"], indirect=True)

OBJECTS = {
    "bad/SKILL.md": skill_md("bad"),
    "bad/notes.txt": b"notes",
    "bad/in/SKILL.md": skill_md("in"),
    "good/SKILL.md": skill_md("good"),
    "good/notes.txt": b"notes",
    "team/one/SKILL.md": skill_md("one"),
    "team/two/SKILL.md": skill_md("two"),
}


def fill(bucket: S3Bucket) -> None:
    for key, data in OBJECTS.items():
        bucket.write(key, data)


def seen(problems: list[Problem]) -> list[tuple[str, str]]:
    return [(problem.where, problem.code) for problem in problems]


@KEEP_POLICIES
@pytest.mark.parametrize("pattern", ["bad/*", "bad/SKILL.md", "bad/notes.txt", "bad/in/SKILL.md"])
async def test_an_object_that_is_denied_takes_its_skill_away_and_no_other_one(
    s3_bucket: S3Bucket, pattern: str
) -> None:
    """[S3: a key, an owner or a policy of one object] In listings and by itself, until it may be read again."""
    fill(s3_bucket)
    s3_bucket.deny_reads(pattern)
    problems: list[Problem] = []
    async with s3_bucket.open() as store:
        provider = provider_of(store, problems)
        for limit in (50, 1):
            assert await paths_of(provider, limit) == ["good", "team/one", "team/two"]
        for path in ("bad", "bad/in", "bad/absent"):
            assert await provider.get(SkillPath(path), ANYONE) is None
        assert await provider.get(SkillPath("good"), ANYONE) is not None
        assert await paths_of(provider, within=("bad/in", "good")) == ["good"]
        assert seen(problems) == [("bad", "access_denied")]
        assert "/".join(pattern.split("/")[:-1]) in problems[0].detail
        assert "bucket's policy; the skill is left out" in problems[0].detail
        assert s3_bucket.name not in problems[0].detail

        s3_bucket.deny_reads()
        assert await paths_of(provider) == ["bad", "bad/in", "good", "team/one", "team/two"]
        assert provider.problems.all() == ()


@KEEP_POLICIES
async def test_when_no_object_may_be_read_nothing_is_served_as_if_there_were_nothing(s3_bucket: S3Bucket) -> None:
    """[ours: fail closed] Also when it could be read a moment ago; and the question costs little."""
    fill(s3_bucket)
    async with s3_bucket.open() as opened:
        provider = provider_of(store := CountingStore(opened))
        assert len(await paths_of(provider)) == 5
        s3_bucket.deny_reads("*")
        for fresh in (provider_of(store), provider_of(store)):
            store.reset()
            with pytest.raises(AccessDenied):
                await fresh.list(Page(50), ANYONE)
            with pytest.raises(AccessDenied):
                await fresh.get(SkillPath("good"), ANYONE)
            assert store.calls.total() <= 40


@ARCHIVES
@pytest.mark.parametrize("key", ["bad/SKILL.md", "bad/notes.txt"])
async def test_an_object_in_an_archive_takes_its_skill_away(s3_bucket: S3Bucket, key: str) -> None:
    """[S3: InvalidObjectState] Also when every object of a bucket is in one: the store says what it is."""
    s3_bucket.archive(key, OBJECTS[key])
    problems: list[Problem] = []
    async with s3_bucket.open() as store:
        provider = provider_of(store, problems)
        assert await paths_of(provider) == []
        for other in OBJECTS.keys() - {key}:
            s3_bucket.write(other, OBJECTS[other])
        assert await paths_of(provider) == ["good", "team/one", "team/two"]
    assert ("bad", "object_archived") in seen(problems)
    assert "lies in an archive; restore it" in problems[0].detail
