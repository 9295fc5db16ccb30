"""What differs between two releases: skills, and files by their full paths.

Only the shards that one of the two has and the other has not are looked at.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gateway.releases.documents import Index, ShardRow
from gateway.releases.repository import Repository
from gateway.releases.shards import Shard
from gateway.skill.model import Digest, SkillEntry, SkillPath


@dataclass(frozen=True, slots=True)
class Changes:
    """Skills by path, files as `<path of a skill>/<path in it>`; each sorted, and each file once.

    A skill is changed when its frontmatter, a file or an empty directory of it is another one.
    """

    added: tuple[SkillPath, ...] = ()
    removed: tuple[SkillPath, ...] = ()
    changed: tuple[SkillPath, ...] = ()
    files_added: tuple[str, ...] = ()
    files_removed: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed)


async def changes_between(repository: Repository, old: Index | None, new: Index | Sequence[Shard]) -> Changes:
    """What became of `old`, None for nothing at all; `new` may be one that is not stored yet.

    Raises what reading a shard raises.
    """
    before = old.shards if old is not None else ()
    after = new.shards if isinstance(new, Index) else new
    in_old, in_new = {row.digest for row in before}, {shard.digest for shard in after}
    return compare(
        await _entries(repository, [row for row in before if row.digest not in in_new]),
        await _entries(repository, [shard for shard in after if shard.digest not in in_old]),
    )


def compare(old: Mapping[SkillPath, SkillEntry], new: Mapping[SkillPath, SkillEntry]) -> Changes:
    """What differs. Pure; entries that are the same on both sides may be left out of both."""
    files, now = _files(old.values()), _files(new.values())
    return Changes(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(sorted(path for path in old.keys() & new.keys() if old[path] != new[path])),
        files_added=tuple(sorted(now.keys() - files.keys())),
        files_removed=tuple(sorted(files.keys() - now.keys())),
        files_changed=tuple(sorted(path for path in files.keys() & now.keys() if files[path] != now[path])),
    )


async def _entries(repository: Repository, shards: Iterable[ShardRow | Shard]) -> dict[SkillPath, SkillEntry]:
    entries: dict[SkillPath, SkillEntry] = {}
    for shard in shards:
        found = shard.entries if isinstance(shard, Shard) else await repository.shard(shard)
        entries |= {entry.path: entry for entry in found}
    return entries


def _files(entries: Iterable[SkillEntry]) -> dict[str, Digest]:
    # An enclosing skill lists the files of a nested one too: the full path makes them one.
    return {f"{entry.path}/{file.path}": file.digest for entry in entries for file in entry.files or ()}
