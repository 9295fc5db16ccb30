"""Releases: the same skills give the same bytes, a small change a small difference."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.releases.documents import load_index, load_shard
from gateway.releases.shards import Release, make_release
from gateway.skill.model import SKILL_MD, SkillEntry, SkillFile, SkillPath, digest_of


def entry(path: str, contents: bytes = b"x", files: int = 1) -> SkillEntry:
    name = path.rpartition("/")[2]
    more = tuple(SkillFile(f"f{number:05}", 1, digest_of(b"f"), "text/plain") for number in range(files - 1))
    return SkillEntry(
        SkillPath(path),
        {"name": name, "description": "What it does.", "x-weight": 1.0},
        (SkillFile(SKILL_MD, len(contents), digest_of(contents), "text/markdown"), *more),
    )


def release_of(count: int, **contents: bytes) -> Release:
    names = [f"s{number}" for number in range(count)]
    entries = [entry(f"org/{name}", contents.get(name, b"x")) for name in names]
    return make_release(entries, allow_binary=False)


def test_the_order_in_which_skills_are_found_makes_no_difference() -> None:
    """[ours: same input, same release id]"""
    entries = [entry(f"org/s{number}") for number in range(300)]
    one, other = make_release(entries, allow_binary=False), make_release(reversed(entries), allow_binary=False)
    assert (one.id, one.data) == (other.id, other.data)
    assert [shard.data for shard in one.shards] == [shard.data for shard in other.shards]


def test_what_is_written_is_read_back_as_it_was() -> None:
    """[ours]"""
    release = release_of(500)
    index = load_index(release.data, release.digest)
    assert index == release.index
    assert (index.skills, index.files, index.size_bytes) == (500, 500, 500)
    read = [
        one
        for row, shard in zip(index.shards, release.shards, strict=True)
        for one in load_shard(shard.data, row.digest)
    ]
    assert read == sorted(read, key=lambda one: one.path)
    assert {one.path for one in read} == {f"org/s{number}" for number in range(500)}
    assert type(read[0].frontmatter["x-weight"]) is float


@given(st.integers(1, 1500), st.integers(0, 1499))
def test_one_changed_skill_changes_one_shard(count: int, which: int) -> None:
    """[ours: a changed file uploads one shard]"""
    before, after = release_of(count), release_of(count, **{f"s{which % count}": b"y"})
    assert before.id != after.id
    assert len({shard.digest for shard in after.shards} - {shard.digest for shard in before.shards}) == 1


@given(st.integers(1, 1500))
def test_one_more_skill_changes_two_shards_at_most(count: int) -> None:
    """[ours: a changed tree uploads what changed]"""
    before, after = release_of(count), release_of(count + 1)
    assert len({shard.digest for shard in after.shards} - {shard.digest for shard in before.shards}) <= 2


def test_no_shard_grows_without_bound() -> None:
    """[ours: a page costs a small object]"""
    release = make_release([entry(f"org/s{number}", files=600) for number in range(40)], allow_binary=False)
    assert max(sum(len(one.files or ()) for one in shard.entries) for shard in release.shards) <= 4096 + 600
    assert len(release_of(20_000).shards) > 100
