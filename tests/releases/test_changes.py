"""What differs between releases, told from the shards that differ."""

from gateway.local.memory import MemoryStore
from gateway.releases.changes import Changes, changes_between, compare
from gateway.releases.publish import Terms, publish
from gateway.releases.repository import Repository
from gateway.skill.model import SkillEntry
from tests.releases.plans import AT, Files, files_of, plan_of
from tests.tree.trees import skill_md

OLD = files_of(400)
NEW = {path: data for path, data in OLD.items() if not path.startswith("team/skill-0003/")} | {
    "team/skill-0001/notes.md": b"other",
    "team/skill-0002/more.md": b"more",
    "team/skill-9999/SKILL.md": skill_md("skill-9999"),
}
CHANGES = Changes(
    added=("team/skill-9999",),
    removed=("team/skill-0003",),
    changed=("team/skill-0001", "team/skill-0002"),
    files_added=("team/skill-0002/more.md", "team/skill-9999/SKILL.md"),
    files_removed=("team/skill-0003/SKILL.md", "team/skill-0003/notes.md"),
    files_changed=("team/skill-0001/notes.md",),
)


async def entries_of(files: Files) -> dict[str, SkillEntry]:
    release = (await plan_of(files)).release
    return {entry.path: entry for shard in release.shards for entry in shard.entries}


async def test_skills_and_files_that_differ_are_told_from_few_shards() -> None:
    """[ours: only shards whose digest differs are read]"""
    store = MemoryStore()
    repository = Repository(store, "")
    old, new = await plan_of(OLD), await plan_of(NEW)
    await publish(repository, old, Terms("stable", AT))
    store.calls.clear()
    assert await changes_between(repository, old.release.index, new.release.shards) == CHANGES
    gone = {shard.digest for shard in old.release.shards} - {shard.digest for shard in new.release.shards}
    assert 0 < len(gone) < len(old.release.shards)
    assert store.calls == {"get": len(gone)}
    await publish(repository, new, Terms("stable", AT))
    assert await changes_between(repository, old.release.index, new.release.index) == CHANGES


async def test_a_first_release_is_all_new_and_the_same_one_has_no_changes() -> None:
    """[ours]"""
    repository, plan = Repository(MemoryStore(), ""), await plan_of(files_of(2))
    first = await changes_between(repository, None, plan.release.shards)
    assert (first.added, first.changed, len(first.files_added)) == (("team/skill-0000", "team/skill-0001"), (), 4)
    assert not first.is_empty
    assert (await changes_between(repository, plan.release.index, plan.release.shards)).is_empty


async def test_a_file_of_a_nested_skill_is_told_once_and_changes_both_skills() -> None:
    """[SEP-2640: an enclosing manifest lists the files of nested skills]"""
    files = {"a/SKILL.md": skill_md("a"), "a/b/SKILL.md": skill_md("b"), "a/b/x.md": b"1"}
    changes = compare(await entries_of(files), await entries_of(files | {"a/b/x.md": b"2"}))
    assert changes == Changes(changed=("a", "a/b"), files_changed=("a/b/x.md",))
