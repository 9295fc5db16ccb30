"""What a swap changed for who has read files of the release before: their URIs, bounded.

Only shards that differ are looked at. Past the bounds nothing is told: that the list changed is told
anyway, and a client then asks again.
"""

from collections.abc import Iterator, Mapping

from gateway.releases.entries import Entries
from gateway.releases.opened import OpenRelease
from gateway.skill.model import Digest, SkillEntry, SkillPath
from gateway.skill.uri import skill_uri

MAX_SHARDS = 64
MAX_URIS = 1000


async def updated_uris(before: OpenRelease, after: OpenRelease, entries: Entries) -> tuple[str, ...]:
    """URIs of files that both releases serve, with other bytes. Raises what reading a shard raises."""
    rows = [_other_rows(before, after), _other_rows(after, before)]
    if sum(map(len, rows)) > MAX_SHARDS:
        return ()
    old, new = [await _entries_of(release, some, entries) for release, some in zip((before, after), rows, strict=True)]
    uris = [uri for path, entry in new.items() if path in old for uri in _changed(old[path], entry)]
    return tuple(uris) if len(uris) <= MAX_URIS else ()


def _other_rows(release: OpenRelease, other: OpenRelease) -> list[int]:
    shared = {row.digest for row in other.index.shards}
    return [number for number, row in enumerate(release.index.shards) if row.digest not in shared]


async def _entries_of(release: OpenRelease, rows: list[int], entries: Entries) -> Mapping[SkillPath, SkillEntry]:
    shards = [await entries.shard(release, number) for number in rows]
    return {path: entry for shard in shards for path, entry in shard.entries.items()}


def _changed(old: SkillEntry, new: SkillEntry) -> Iterator[str]:
    before: dict[str, Digest] = {file.path: file.digest for file in old.files or ()}
    for file in new.files or ():
        if before.get(file.path, file.digest) != file.digest:
            yield skill_uri(new.path, file.path)
