"""The release provider: whatever release is current, answering as a `WarmProvider`. All entries are static.

Only the index of the current release is held; entries come a shard at a time, contents a blob at a time,
and both are good for ever. So a store that is down takes away only what was not asked for yet.

Source: provider contract of `gateway.provider`.
"""

import logging
import time
from collections.abc import Callable
from math import inf

from gateway.errors import CursorRefused, NotServed, ReleaseError
from gateway.memory.problems import Problems
from gateway.memory.shelves import Fill, Shelf, fill_of, new_memory, weight_of_entry
from gateway.provider import Caller, Content, EntryPage, Page
from gateway.releases.blobs import Blobs
from gateway.releases.entries import Entries, LoadedShard
from gateway.releases.follower import Follower
from gateway.releases.layout import release_id_of
from gateway.releases.opened import OpenRelease
from gateway.releases.options import ReleaseOptions
from gateway.releases.origins import MadePage, Origins
from gateway.releases.position import Place, first_within, load_place
from gateway.skill.model import Digest, Problem, SkillEntry, SkillPath

logger = logging.getLogger(__name__)

_PER_SHARD = 50

_Asked = tuple[Digest, str, int, tuple[str, ...]]
"""Release, path of the first skill, and limit of a page, and the paths below which it is listed."""


class ReleaseProvider:
    """Serves what its follower says is current."""

    def __init__(
        self,
        follower: Follower,
        options: ReleaseOptions,
        *,
        on_problem: Callable[[Problem], object] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`on_problem` is told of every problem once, as the log is. `now` is a clock that only goes forward, in s."""
        self._follower, self._indexes = follower, follower.indexes
        self.problems = Problems(on_problem, now, kept_s=inf)
        repository, self._memory = follower.indexes.repository, new_memory(options.entry_cache_bytes)
        self.entries = Entries(repository, options, self._memory, self.problems.report, now)
        self._blobs = Blobs(repository, options, now)
        self._pages: Shelf[_Asked, MadePage] = Shelf(self._memory, "page", _weight)
        self._origins = Origins(follower.labels_of)
        self._mount = "/".join(options.mount)

    @property
    def namespaces(self) -> tuple[str, ...]:
        return (self._mount,)

    @property
    def serves_dynamic(self) -> bool:
        return False

    @property
    def fills(self) -> tuple[Fill, ...]:
        memories = {"entries": self._memory, "contents": self._blobs.memory, "indexes": self._indexes.memory}
        return tuple(fill_of(name, memory) for name, memory in memories.items())

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        """Raises CursorRefused when the release that the position names is gone."""
        release, path = await self._begin(page)
        asked = (release.digest, path, page.limit, page.wanted_below(self._mount))
        self._origins.tell(release.digest, release.signer)
        if (kept := self._pages.find(asked)) is not None:
            return kept.value.page
        try:
            answer = await self._page_of(release, asked)
        except ReleaseError as error:
            if page.position is None or release is self._follower.current:
                raise
            raise _gone(release.id, error) from error
        if (kept := self._pages.get(asked)) is not None:
            return kept.value.page  # somebody asked at the same time, and has it already
        self._pages.put(asked, MadePage(answer, release.signer))
        return answer

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return await self._entry(self._serving(), path)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        """Raises BlobRefused when the published bytes are not there."""
        release = self._serving()
        entry = await self._entry(release, path)
        file = None if entry is None else entry.file(file_path)
        if file is None:
            raise NotServed(f"{file_path!r} of {path!r} is not served")
        named = f"{path}/{file_path} of release {release.id}"
        return await self._blobs.read(file, named, allow_binary=self.entries.allows_binary(release))

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None:
        if page.position is not None:
            place = load_place(page.position)
        elif (release := self._follower.current) is not None:
            place = Place(release.digest, "")
        else:
            place = None
        if place is None:
            return None
        kept = self._pages.find_warm((place.index, place.path, page.limit, page.wanted_below(self._mount)))
        if kept is None:
            return None
        self._origins.tell(place.index, kept.value.signer)
        return kept.value.page

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        release = self._follower.current
        entry = None if release is None else self._warm_entry(release, path)
        if release is not None and entry is not None:
            self._origins.tell(release.digest, release.signer)
        return entry

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        release = self._follower.current
        entry = None if release is None else self._warm_entry(release, path)
        file = None if entry is None else entry.file(file_path)
        if release is None or file is None:
            return None
        self._origins.tell(release.digest, release.signer)
        return self._blobs.known(file, allow_binary=self.entries.allows_binary(release))

    def _serving(self) -> OpenRelease:
        release = self._follower.serving()
        self._origins.tell(release.digest, release.signer)
        return release

    async def _begin(self, page: Page) -> tuple[OpenRelease, str]:
        """The release that a page is of, and the path it begins at."""
        if page.position is None:
            return self._follower.serving(), ""
        place, current = load_place(page.position), self._follower.current
        if place is None:
            logger.info("a cursor is of another kind of source, which was served here before")
            raise CursorRefused("of_another_source")
        if current is not None and current.digest == place.index:
            return current, place.path
        release = release_id_of(place.index)
        try:
            return await self._indexes.open(release, place.index), place.path
        except ReleaseError as error:
            raise _gone(release, error) from error

    async def _page_of(self, release: OpenRelease, asked: _Asked) -> EntryPage:
        """A page from as few shards as hold it: a shorter one when they are small."""
        _, path, limit, roots = asked
        rows, entries = release.index.shards, list[SkillEntry]()
        wanted = first_within(path, roots) if rows else None
        for _ in range(max(2, 1 + limit // _PER_SHARD)):
            if wanted is None or len(entries) == limit:
                break
            number = release.row_of(wanted) or 0
            shard = await self.entries.shard(release, number)
            for below in shard.paths_from(wanted, roots):
                if len(entries) == limit:
                    return EntryPage(tuple(entries), Place(release.digest, below).dump())
                if (entry := shard.entries.get(below)) is not None:
                    entries.append(entry)
            wanted = first_within(rows[number + 1].first, roots) if number + 1 < len(rows) else None
        return EntryPage(tuple(entries), None if wanted is None else Place(release.digest, wanted).dump())

    async def _entry(self, release: OpenRelease, path: SkillPath) -> SkillEntry | None:
        below, number = self._find(release, path)
        return None if number is None else _in(await self.entries.shard(release, number), below)

    def _warm_entry(self, release: OpenRelease, path: SkillPath) -> SkillEntry | None:
        below, number = self._find(release, path)
        shard = None if number is None else self.entries.known(release, number)
        return None if shard is None else _in(shard, below)

    def _find(self, release: OpenRelease, path: SkillPath) -> tuple[SkillPath, int | None]:
        """A path as the release has it, and the shard that may hold it; None outside of the mount too."""
        if not self._mount:
            return path, release.row_of(path)
        below = SkillPath(path.removeprefix(f"{self._mount}/"))
        return below, None if below == path else release.row_of(below)


def _in(shard: LoadedShard, path: SkillPath) -> SkillEntry | None:
    return shard.entries.get(path)


def _gone(release: str, error: ReleaseError) -> CursorRefused:
    logger.info("a cursor names release %s, which can be served no more: %s", release, error)
    return CursorRefused("release_gone")


def _weight(made: MadePage) -> int:
    return sum(map(weight_of_entry, made.page.entries))
