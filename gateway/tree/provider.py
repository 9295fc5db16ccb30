"""The tree provider: a prefix of an object store answering as a `DirectoryProvider`.

Every answer comes from the store of this moment. An entry may be reused for `freshness_s` without
asking again, and is dropped at once when a read shows that an object changed; facts about objects are
reused for as long as their ETag stands. Problems are reported once each.

Source: provider contract of `gateway.provider`.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from cachetools import LRUCache, TTLCache

from gateway.errors import (
    ContentChanged,
    ContentTooLarge,
    NotADirectory,
    NotServed,
    ObjectChanged,
    ObjectMissing,
    ObjectTooLarge,
)
from gateway.objects import ObjectStore
from gateway.provider import Caller, Content, DirectoryPage, EntryPage, Page
from gateway.skill.media import looks_like_utf8, media_type_of
from gateway.skill.model import SKILL_MD, Problem, SkillEntry, SkillPath, digest_of
from gateway.tree.build import BuiltGroup, build_group, skill_path
from gateway.tree.directory import list_directory
from gateway.tree.group import Group, ancestors
from gateway.tree.keys import KeyMap, Segments, is_hidden
from gateway.tree.options import TreeOptions
from gateway.tree.position import Place, load_place
from gateway.tree.probe import Prober
from gateway.tree.relist import list_group
from gateway.tree.together import together
from gateway.tree.walk import Walk

logger = logging.getLogger(__name__)

_TRIES = 3
"""How often a group that changes under our hands is listed again before we give up on it."""
_REMEMBERED = 10_000
_REMEMBERED_OBJECTS = 50_000
_NO_TIME_S = 1e-9
"""A time to live must be positive; this one is over before anybody can look."""


class TreeProvider:
    """Serves the skills under one prefix of one store."""

    def __init__(
        self, store: ObjectStore, options: TreeOptions, *, on_problem: Callable[[Problem], object] | None = None
    ) -> None:
        """`on_problem` is told of every problem once, as the log is."""
        self._store, self._options, self._on_problem = store, options, on_problem
        self._keys = KeyMap(options.prefix, options.mount)
        self._prober = Prober(store, options)
        ttl_s = options.freshness_s or _NO_TIME_S
        self._groups: TTLCache[Segments, BuiltGroup] = TTLCache(
            _REMEMBERED_OBJECTS, ttl_s, time.monotonic, getsizeof=_weight_of_group
        )
        self._is_skill: TTLCache[Segments, bool] = TTLCache(_REMEMBERED, ttl_s, time.monotonic)
        self._reported: LRUCache[tuple[str, str], Problem] = LRUCache(_REMEMBERED)

    @property
    def namespaces(self) -> tuple[str, ...]:
        return ("/".join(self._options.mount),)

    @property
    def serves_dynamic(self) -> bool:
        return True

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        start = load_place(page.position)
        walk = Walk(self._store, self._keys, self._options, start, self.report)
        entries: dict[SkillPath, SkillEntry] = {}
        inside = start.inside
        while len(entries) < page.limit and (groups := await walk.take(page.limit - len(entries))):
            built = await together(self._build(group) for group in groups)
            for group, outcome in zip(groups, built, strict=True):
                is_begun = self._is_in(group, inside)
                # A directory may have become a skill after skills in it were served: none is twice in a page.
                served = [path for path in outcome.entries if not (is_begun and path <= inside) and path not in entries]
                room = page.limit - len(entries)
                entries |= {path: outcome.entries[path] for path in served[:room]}
                if len(served) > room:
                    here = Place(group.begin.token, group.begin.passed, served[room - 1] if room else inside)
                    return EntryPage(tuple(entries.values()), here.dump())
                if is_begun:
                    inside = ""
        place = walk.place()
        return EntryPage(tuple(entries.values()), replace(place, inside=inside).dump() if place else None)

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
        owner = await self._owner(self._below_mount(path))
        if owner is None:
            return None
        return (await self._group(owner)).entries.get(path)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        root = self._below_mount(path)
        for _ in range(_TRIES):
            owner = await self._owner(root)
            group = await self._group(owner) if owner is not None else None
            if root is None or owner is None or group is None or path not in group.entries:
                raise NotServed(f"No skill is served at {path!r}")
            try:
                return await self._read_now(group, path, file_path, (*root, *file_path.split("/")))
            except (ObjectChanged, ObjectMissing, ObjectTooLarge) as moved:
                logger.info("changed while it was served, asking again: %s", moved)
                self.forget(owner)
        raise ContentChanged(f"{path}/{file_path} changed {_TRIES} times while it was read")

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        root = self._below_mount(path)
        if root is None:
            raise NotADirectory(f"No skill is served at {path!r}")
        directory = (*root, *(directory_path.split("/") if directory_path else ()))
        return await list_directory(self._store, self._keys, self._prober, directory, page, is_root=directory == root)

    def forget(self, owner: Segments) -> None:
        """Drop what is remembered of a group: an object of it changed."""
        self._groups.pop(owner, None)
        self._is_skill.pop(owner, None)

    def report(self, problem: Problem) -> None:
        """Log a problem, once for as long as it stays the same."""
        if self._reported.get((problem.where, problem.code)) == problem:
            return
        self._reported[problem.where, problem.code] = problem
        logger.warning("%s", problem)
        if self._on_problem is not None:
            self._on_problem(problem)

    async def _read_now(self, group: BuiltGroup, path: SkillPath, file_path: str, segments: Segments) -> Content:
        entry = group.entries[path]
        if entry.files is None:
            return await self._read_dynamic(path, file_path, segments)
        published = entry.file(file_path)
        if published is None:
            raise NotServed(f"{file_path!r} is not a file of {path!r}")
        self._check_size(path, file_path, published.size)
        listed = group.objects[segments]
        found = await self._store.get(listed.key, max_bytes=published.size, if_match=listed.etag)
        if len(found.data) != published.size or digest_of(found.data) != published.digest:
            raise ObjectChanged(f"{listed.key!r}: its bytes are not the ones that were published")
        return Content(found.data, published.media_type, allow_binary=self._options.allow_binary)

    async def _read_dynamic(self, path: SkillPath, file_path: str, segments: Segments) -> Content:
        if is_hidden(segments) or not self._keys.is_fit(segments):
            raise NotServed(f"{file_path!r} is not a file of {path!r}")
        try:
            found = await self._store.get(self._keys.key_of(segments), max_bytes=self._options.max_file_bytes)
        except ObjectMissing:
            raise NotServed(f"{file_path!r} is not a file of {path!r}") from None
        except ObjectTooLarge:
            limit = self._options.max_file_bytes
            raise ContentTooLarge(
                f"{file_path!r} of {path!r} has more than {limit} bytes, the most one read sends"
            ) from None
        media_type = media_type_of(file_path, found.head.media_type, looks_like_utf8(found.data, None))
        return Content(found.data, media_type, allow_binary=self._options.allow_binary)

    def _check_size(self, path: SkillPath, file_path: str, size: int) -> None:
        if size > self._options.max_file_bytes:
            raise ContentTooLarge(
                f"{file_path!r} of {path!r} has {size} bytes; one read sends at most {self._options.max_file_bytes}"
            )

    async def _owner(self, segments: Segments | None) -> Segments | None:
        """The outermost skill directory on the way to a directory below the prefix, itself included."""
        if segments is None or is_hidden(segments):
            return None
        asked: list[Segments] = []
        for directory in (*ancestors(segments), segments):
            asked.append(directory)
            if self._is_skill.get(directory):
                break
        answers = await together(self._has_skill_md(directory) for directory in asked)
        return next((directory for directory, found in zip(asked, answers, strict=True) if found), None)

    async def _has_skill_md(self, directory: Segments) -> bool:
        if (known := self._is_skill.get(directory)) is None:
            try:
                await self._store.head(self._keys.key_of((*directory, SKILL_MD)))
                known = True
            except ObjectMissing:
                known = False
            self._is_skill[directory] = known
        return known

    async def _group(self, root: Segments) -> BuiltGroup:
        if (known := self._groups.get(root)) is None:
            known = await self._build(await list_group(self._store, self._keys, self._options, root))
        return known

    async def _build(self, group: Group) -> BuiltGroup:
        """Entries of a group as listed, listed again when it is partial or changes meanwhile."""
        for attempt in range(_TRIES):
            if attempt or group.is_partial:
                group = await list_group(self._store, self._keys, self._options, group.root)
            try:
                built = await build_group(group, self._prober, self._options)
            except (ObjectChanged, ObjectMissing) as moved:
                logger.info("changed while listed, listing again: %s", moved)
                continue
            for problem in built.problems:
                self.report(problem)
            if _weight_of_group(built) <= _REMEMBERED_OBJECTS:
                self._groups[group.root] = built
            # The SKILL.md of a group that is too large may be among the keys left out.
            self._is_skill[group.root] = group.is_too_large or group.root in group.skill_directories
            return built
        path = skill_path(self._options, group.root)
        self.report(Problem(path, "changing", f"changed {_TRIES} times while it was listed; left out for now"))
        return BuiltGroup({}, {}, ())

    def _below_mount(self, path: SkillPath) -> Segments | None:
        segments = tuple(path.split("/"))
        mount = self._options.mount
        return segments[len(mount) :] if segments[: len(mount)] == mount and len(segments) > len(mount) else None

    def _is_in(self, group: Group, path: str) -> bool:
        return f"{path}/".startswith(f"{skill_path(self._options, group.root)}/")


def _weight_of_group(built: BuiltGroup) -> int:
    return 1 + len(built.objects)
