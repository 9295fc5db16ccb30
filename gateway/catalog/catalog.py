"""`SkillCatalog`: skills found in a tree of files, held as metadata, served from there.

A catalogue is loaded before it serves, keeps exactly what clients receive, and reads a file only when
one is asked for, against the published digest. `reload` swaps all or nothing. It is a `SkillProvider`
like any other; `attach` puts it on a server. Source: SEP-2640.
"""

import asyncio
import logging
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gateway.catalog.files import SkillFiles
from gateway.catalog.scan import Scan, scan
from gateway.catalog.skills import Skills, default_options
from gateway.errors import ContentChanged, GatewayError, NotServed
from gateway.protocol.attach import AnyServer
from gateway.protocol.options import AdapterOptions
from gateway.provider import Caller, Content, EntryPage, Page
from gateway.skill.assembly import DEFAULT_LIMITS, Limits, SourceRules
from gateway.skill.model import SKILL_MD, Problem, SkillEntry, SkillPath, digest_of
from gateway.skill.uri import segment_fault, skill_uri

PAGE_SIZE = 100
"""Entries on one page of a catalogue that is told nothing else."""

logger = logging.getLogger(__name__)

OnWarning = Callable[[Problem], object]


class CatalogRefused(GatewayError):
    """A strict catalogue met skills that cannot be served: all of them, in one error."""

    reason = "catalog_refused"

    def __init__(self, problems: Sequence[Problem]) -> None:
        listed = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"{len(problems)} problems, and a strict catalogue serves all or nothing:\n{listed}")
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class ReloadResult:
    """What a reload changed, by path. `list_changed`: a skill came or went, or a name or description changed."""

    added: tuple[SkillPath, ...] = ()
    removed: tuple[SkillPath, ...] = ()
    changed: tuple[SkillPath, ...] = ()
    list_changed: bool = False


class SkillCatalog:
    """Made by `load`."""

    def __init__(
        self,
        files: SkillFiles,
        rules: SourceRules,
        *,
        strict: bool,
        on_warning: OnWarning | None,
        options: AdapterOptions | None,
    ) -> None:
        self._files, self._rules, self._strict = files, rules, strict
        self._skills = Skills([self], options or default_options(page_size=PAGE_SIZE))
        self._on_warning: OnWarning = on_warning or _log
        self._scan, self._entries, self._uris = Scan(), tuple[SkillEntry, ...](), list[str]()
        self._reloading = asyncio.Lock()

    @classmethod
    async def load(
        cls,
        files: SkillFiles,
        *,
        prefix: str = "",
        allow_binary: bool = False,
        strict: bool = False,
        on_warning: OnWarning | None = None,
        limits: Limits = DEFAULT_LIMITS,
        options: AdapterOptions | None = None,
    ) -> "SkillCatalog":
        """Scan a tree of files.

        `prefix` goes in front of every skill path. Not strict, a skill that cannot be served is left
        out and told to `on_warning` (the log, unless given); strict, CatalogRefused lists all of them.
        A skill past `limits` is served, with a warning. `options` are for `attach`: page size (100
        unless told), cache hints, cursor keys.
        Raises what the source raises, and ValueError for a prefix that no URI can have.
        """
        mount = tuple(prefix.split("/")) if prefix else ()
        for segment in mount:
            if fault := segment_fault(segment):
                raise ValueError(f"prefix {prefix!r} {fault}")
        rules = SourceRules(mount, allow_binary, limits)
        catalog = cls(files, rules, strict=strict, on_warning=on_warning, options=options)
        await catalog.reload()
        return catalog

    @property
    def entries(self) -> tuple[SkillEntry, ...]:
        """What is served, in the order of URIs; immutable."""
        return self._entries

    async def reload(self) -> ReloadResult:
        """Scan again and swap at once. On any failure the catalogue stays as it was, and the failure is raised.

        Overlapping calls run one after another. Listeners hear of it when `list_changed` is true.
        """
        async with self._reloading:
            found = await scan(self._files, self._rules, self._scan)
            refused = [problem for problem in found.problems if problem.where not in found.entries]
            if self._strict and refused:
                raise CatalogRefused(refused)
            before, self._scan = self._scan, found
            self._entries = tuple(found.entries.values())
            self._uris = [skill_uri(path, SKILL_MD) for path in found.entries]
        for problem in found.problems:
            if problem not in before.problems:
                self._on_warning(problem)
        result = compare(before, found)
        if result.list_changed:
            await self._skills.signal.list_changed()
        return result

    def attach(self, server: AnyServer) -> None:
        """Publish the catalogue on a server, and tell its clients of reloads; see `Skills.attach`."""
        self._skills.attach(server)

    @property
    def namespaces(self) -> tuple[str, ...]:
        return ("/".join(self._rules.mount),)

    @property
    def serves_dynamic(self) -> bool:
        return False

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        """The position is the URI of the last entry served: a change between pages repeats and loses nothing."""
        first = 0 if page.position is None else bisect_right(self._uris, page.position)
        last = min(first + page.limit, len(self._uris))
        return EntryPage(self.entries[first:last], self._uris[last - 1] if last < len(self._uris) else None)

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return self._scan.entries.get(path)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        entry = self._scan.entries.get(path)
        published = next((file for file in (entry.files if entry else None) or () if file.path == file_path), None)
        if published is None:
            raise NotServed(f"{file_path!r} is not a file of {path!r}")
        below_mount = path.split("/")[len(self._rules.mount) :]
        try:
            data = await self._files.read("/".join((*below_mount, file_path)))
        except OSError as error:
            raise ContentChanged(f"{path}/{file_path}: {error}") from error
        if len(data) != published.size or digest_of(data) != published.digest:
            raise ContentChanged(f"{path}/{file_path}: its bytes are not the ones that were published; reload")
        return Content(data, published.media_type, allow_binary=self._rules.allow_binary)


def _log(problem: Problem) -> None:
    logger.warning("%s", problem)


def compare(before: Scan, after: Scan) -> ReloadResult:
    """What changed between two scans. Pure."""
    old, new = before.entries, after.entries
    added = tuple(path for path in new if path not in old)
    removed = tuple(path for path in old if path not in new)
    changed = tuple(path for path, entry in new.items() if path in old and old[path] != entry)
    retitled = any(
        (old[path].name, old[path].description) != (new[path].name, new[path].description) for path in changed
    )
    return ReloadResult(added, removed, changed, bool(added or removed or retitled))
