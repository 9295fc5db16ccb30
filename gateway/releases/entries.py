"""Entries of releases, a shard at a time: read when one is asked for, remembered, found again by digest.

Two releases that share a shard share its entries, the very same objects. What cannot be served of a
shard (a binary file where none is allowed, a URI that the mount makes too long) is left out and told once.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gateway.errors import ManifestRefused
from gateway.memory.flights import Flights
from gateway.memory.shelves import Memory, Shelf, weight_of_entry
from gateway.provider import lies_within
from gateway.releases.documents import ShardRow
from gateway.releases.opened import OpenRelease
from gateway.releases.options import ReleaseOptions
from gateway.releases.repository import Repository
from gateway.skill.media import is_textual
from gateway.skill.model import Digest, Problem, SkillEntry, SkillPath
from gateway.skill.rules import entry_fault

_ShardKey = tuple[Digest, bool]
"""Digest of a shard, and whether its skills may have binary files."""


@dataclass(frozen=True, slots=True)
class LoadedShard:
    """A shard as it is served. `paths` are all that are published in it, sorted, below the mount as in the shard;
    `entries` hold, by these paths, what is served of them, under the mount."""

    paths: tuple[SkillPath, ...]
    entries: Mapping[SkillPath, SkillEntry]

    def paths_from(self, path: str, roots: Sequence[str]) -> Iterator[SkillPath]:
        """The paths from one on that lie at or below one of some roots."""
        following = self.paths[bisect_left(self.paths, path) :]
        return (path for path in following if any(lies_within(path, root) for root in roots))


class Entries:
    """The entries of one repository."""

    def __init__(
        self,
        repository: Repository,
        options: ReleaseOptions,
        memory: Memory,
        report: Callable[[Problem], object],
        now: Callable[[], float],
    ) -> None:
        self._repository, self._options, self._report = repository, options, report
        self._kept: Shelf[_ShardKey, LoadedShard] = Shelf(memory, "shard", _weight)
        self._flights: Flights[_ShardKey, LoadedShard] = Flights(now)

    def known(self, release: OpenRelease, number: int) -> LoadedShard | None:
        """A shard of a release, if it is remembered; else `shard` asks for it."""
        kept = self._kept.find_warm(self._key(release, number))
        return None if kept is None else kept.value

    async def shard(self, release: OpenRelease, number: int) -> LoadedShard:
        """A shard of a release. Raises ManifestRefused when it is missing or not what the index says."""
        key = self._key(release, number)
        if (kept := self._kept.find(key)) is not None:
            return kept.value
        return await self._flights.join(key, lambda: self._read(key, release.index.shards[number]))

    async def _read(self, key: _ShardKey, row: ShardRow) -> LoadedShard:
        published = await self._repository.shard(row)
        _check_fits(published, row)
        _, is_binary_allowed = key
        served = {entry.path: one for entry in published if (one := self._served(entry, is_binary_allowed))}
        loaded = LoadedShard(tuple(entry.path for entry in published), served)
        self._kept.put(key, loaded)
        return loaded

    def _served(self, entry: SkillEntry, is_binary_allowed: bool) -> SkillEntry | None:
        mounted = replace(entry, path=SkillPath("/".join((*self._options.mount, entry.path))))
        if not is_binary_allowed and (
            odd := next((one for one in entry.files or () if _is_binary(one.media_type)), None)
        ):
            detail = f"has the binary file {odd.path!r} ({odd.media_type}) and GATEWAY_ALLOW_BINARY is off; left out"
            self._report(Problem(mounted.path, "binary_refused", detail))
            return None
        if self._options.mount and (fault := entry_fault(mounted)):
            self._report(Problem(mounted.path, "unfit_for_mount", f"{fault}; left out"))
            return None
        return mounted if self._options.mount else entry

    def _key(self, release: OpenRelease, number: int) -> _ShardKey:
        return release.index.shards[number].digest, self.allows_binary(release)

    def allows_binary(self, release: OpenRelease) -> bool:
        return self._options.allow_binary and release.index.allow_binary


def _check_fits(entries: Sequence[SkillEntry], row: ShardRow) -> None:
    """A page goes on by path: a shard out of order would lose skills, or never end."""
    paths = [entry.path for entry in entries]
    if len(paths) != row.skills or paths[:1] != [row.first] or paths != sorted(set(paths)):
        raise ManifestRefused(f"the shard {row.digest} does not hold the {row.skills} skills from {row.first!r} on")


def _is_binary(media_type: str) -> bool:
    return not is_textual(media_type)


def _weight(shard: LoadedShard) -> int:
    return sum(100 + weight_of_entry(entry) for entry in shard.entries.values()) + 100 * len(shard.paths)
