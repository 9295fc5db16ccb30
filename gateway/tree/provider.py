"""The tree provider: a prefix of an object store answering as a `DirectoryProvider`.

An answer comes from the store of this moment, or from one at most `freshness_s` ago. It is dropped at
once when a read shows that an object changed; facts about objects are reused for as long as their ETag
stands. Problems are reported once each.

Source: provider contract of `gateway.provider`.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from gateway.errors import ContentChanged, NotADirectory, NotServed, ObjectChanged, ObjectMissing, ObjectTooLarge
from gateway.memory.problems import Problems
from gateway.memory.shelves import Dated, Fill, Shelf, fill_of, new_memory, weight_of_entry
from gateway.objects import ObjectStore
from gateway.provider import Caller, Content, DirectoryPage, EntryPage, Page
from gateway.skill.model import Problem, SkillEntry, SkillPath
from gateway.tree.access import Access
from gateway.tree.answers import Answers
from gateway.tree.build import BuiltGroup, skill_path
from gateway.tree.directory import list_directory
from gateway.tree.group import Group
from gateway.tree.groups import TRIES, Groups
from gateway.tree.keys import Segments
from gateway.tree.listings import Listings
from gateway.tree.options import TreeOptions
from gateway.tree.outage import Outage
from gateway.tree.position import Place, load_place
from gateway.tree.probe import Prober
from gateway.tree.reading import Contents, Reader
from gateway.tree.source import Source
from gateway.tree.together import together
from gateway.tree.tour import Tour

logger = logging.getLogger(__name__)

_Asked = tuple[str | None, int, tuple[str, ...]]
"""Position and limit of a page, and the directories below which it is listed."""


class TreeProvider:
    """Serves the skills under one prefix of one store."""

    def __init__(
        self,
        store: ObjectStore,
        options: TreeOptions,
        *,
        on_problem: Callable[[Problem], object] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`on_problem` is told of every problem once, as the log is. `now` is a clock that only goes forward, in s."""
        self._options = options
        self._mount = "/".join(options.mount)
        self.problems = Problems(on_problem, now, unseen=("wrong_sha256_metadata",))
        self._source = Source(store, options, self.problems, now)
        memory, outage = new_memory(options.entry_cache_bytes), Outage(now)
        contents = Contents(options)
        self._prober = Prober(self._source, memory, contents)
        self._reader = Reader(self._source, contents)
        shelf: Shelf[_Asked, EntryPage] = Shelf(memory, "page", _weight_of_page)
        self._pages: Answers[_Asked, EntryPage] = Answers(shelf, options, outage, now)
        self._listings = Listings(self._source, memory, outage)
        access = Access(self._source, self._listings)
        self._groups = Groups(self._source, self._prober, access, memory, outage, self._forget_pages)
        directories = self._groups.directories.memory
        self._memories = {"entries": memory, "contents": contents.memory, "directories": directories}

    @property
    def namespaces(self) -> tuple[str, ...]:
        return (self._mount,)

    @property
    def serves_dynamic(self) -> bool:
        return True

    @property
    def fills(self) -> tuple[Fill, ...]:
        return tuple(fill_of(name, memory) for name, memory in self._memories.items())

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        asked = self._asked(page)
        answer = await self._pages.ask(asked, lambda: self._list_now(page))
        assert answer is not None
        return answer.value

    async def survey(self) -> AsyncIterator[SkillEntry]:
        """Every entry served, in the order of the listing; what is refused is reported meanwhile."""
        position: str | None = None
        while True:
            page = await self.list(Page(limit=50, position=position), Caller())
            for entry in page.entries:
                yield entry
            if (position := page.position) is None:
                return

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        group = await self._groups.of(path)
        return None if group is None else group.entries[path]

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        for _ in range(TRIES):
            group = await self._groups.of(path)
            if group is None:
                raise NotServed(f"No skill is served at {path!r}")
            try:
                return await self._read_now(group, path, file_path)
            except (ObjectChanged, ObjectMissing, ObjectTooLarge) as moved:
                logger.info("changed while it was served, asking again: %s", moved)
                self._groups.forget(group)
        raise ContentChanged(f"{path}/{file_path} changed {TRIES} times while it was read")

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        root = self._source.below_mount(path)
        if root is None:
            raise NotADirectory(f"No skill is served at {path!r}")
        directory = (*root, *(directory_path.split("/") if directory_path else ()))
        return await list_directory(self._source, self._prober, directory, page, is_root=directory == root)

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None:
        return self._pages.fresh(self._asked(page))

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        group = self._groups.fresh(path)
        return None if group is None else group.entries.get(path)

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        group = self._groups.fresh(path)
        entry = None if group is None else group.entries.get(path)
        if group is None or entry is None or entry.is_dynamic:
            return None
        listed = group.objects.get(self._segments(path, file_path))
        return None if listed is None else self._reader.kept(listed)

    def _forget_pages(self) -> None:
        self._pages.forget_all()
        self._listings.forget_all()

    async def _list_now(self, page: Page) -> Dated[EntryPage]:
        start = load_place(page.position)
        asked = self._asked(page)
        _, _, roots = asked
        tour = Tour(self._source, self._listings, start, roots, self._groups.directories.is_skill)
        answer = await self._page_of(tour, page, start)
        known = self._pages.last(asked)
        return Dated(known if known is not None and _is_same(known, answer) else answer, tour.asked_at)

    async def _page_of(self, tour: Tour, page: Page, start: Place) -> EntryPage:
        entries: dict[SkillPath, SkillEntry] = {}
        inside = start.inside
        while len(entries) < page.limit and (groups := await tour.take(page.limit - len(entries))):
            built = await together(self._groups.build(group) for group in groups)
            for group, outcome in zip(groups, built, strict=True):
                is_begun = self._is_in(group, inside)
                # A directory may have become a skill after skills in it were served: none is twice in a page.
                served = [path for path in outcome.entries if not (is_begun and path <= inside) and path not in entries]
                room = page.limit - len(entries)
                entries |= {path: outcome.entries[path] for path in served[:room]}
                if len(served) > room:
                    here = replace(group.begin, inside=served[room - 1] if room else inside)
                    return EntryPage(tuple(entries.values()), here.dump())
                if is_begun:
                    inside = ""
        place = tour.place()
        return EntryPage(tuple(entries.values()), replace(place, inside=inside).dump() if place else None)

    async def _read_now(self, group: BuiltGroup, path: SkillPath, file_path: str) -> Content:
        entry, named = group.entries[path], f"{file_path!r} of {path!r}"
        segments = self._segments(path, file_path)
        if entry.files is None:
            return await self._reader.read_dynamic(segments, named)
        published = entry.file(file_path)
        if published is None:
            raise NotServed(f"{named} is not served")
        return await self._reader.read(group.objects[segments], published, named)

    def _segments(self, path: SkillPath, file_path: str) -> Segments:
        """Below the prefix, of a file of a skill that is served."""
        return (*path.split("/")[len(self._options.mount) :], *file_path.split("/"))

    def _asked(self, page: Page) -> _Asked:
        return page.position, page.limit, page.wanted_below(self._mount)

    def _is_in(self, group: Group, path: str) -> bool:
        return f"{path}/".startswith(f"{skill_path(self._options, group.root)}/")


def _weight_of_page(page: EntryPage) -> int:
    return sum(map(weight_of_entry, page.entries))


def _is_same(known: EntryPage, answer: EntryPage) -> bool:
    """Whether two pages hold the very same entries and lead to the same place."""
    return (
        known.position == answer.position
        and len(known.entries) == len(answer.entries)
        and all(one is other for one, other in zip(known.entries, answer.entries, strict=True))
    )
