"""The adapter: one method of the wire, one method here.

Parses URIs, opens cursors, finds the skill that owns a URI, asks the provider, checks the answer,
shapes the result. The outermost skill owns a URI, because nested files are its files too.

Source: SEP-2640 (skills/list, skills/get, resources/directory/read); MCP Resources.
"""

import time
from collections.abc import Callable, Sequence

import orjson

from gateway.audit.journal import Journal
from gateway.audit.trace import Trace, open_trace
from gateway.cursor import CursorScope, CursorSealer
from gateway.errors import ContentChanged, InvalidUri, NotADirectory, NotServed, ProviderFault
from gateway.protocol.checks import (
    check_content,
    check_directory_page,
    check_entries,
    check_entry,
    check_page,
    check_uris,
    is_as_published,
)
from gateway.protocol.manifest import children_of, directory_page
from gateway.protocol.options import AdapterOptions
from gateway.protocol.paging import Pager
from gateway.protocol.places import Namespaces, Owners
from gateway.protocol.rendering import Renderings
from gateway.protocol.wire import (
    JsonObject,
    child_json,
    contents_json,
    entry_json,
    hints,
    provenance,
    skill_resource_json,
)
from gateway.provider import Caller, DirectoryPage, DirectoryProvider, EntryPage, Page, SkillProvider, WarmProvider
from gateway.skill.model import MAX_SKILL_SEGMENTS, SKILL_MD, SkillEntry, digest_of
from gateway.skill.uri import parse_uri

_READ_TRIES = 2
"""A file that changed between entry and read is read again under the new entry, once."""


class SkillsAdapter:
    """Speaks SEP-2640 for one provider."""

    def __init__(
        self,
        provider: SkillProvider,
        options: AdapterOptions,
        *,
        pager: Pager | None = None,
        journal: Journal | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`journal` is where answers are recorded; none are without one.

        ValueError when directory reads are on and the provider could not answer them for dynamic skills.
        """
        if options.directory_read and provider.serves_dynamic and not isinstance(provider, DirectoryProvider):
            raise ValueError("directory_read is on and the provider serves dynamic skills: it needs read_directory")
        self.options, self.journal = options, journal
        self.provider, self.spaces = provider, Namespaces(provider.namespaces)
        self.pager = pager or Pager(options, CursorSealer(options.signing_keys))
        self.owners = Owners(options.owner_ttl_s, now)
        self.renderings = Renderings(options.render_cache_bytes, self.spaces.holds)
        # Who does not promise to give the same objects for the same things may change what an object says.
        self._is_warm = isinstance(provider, WarmProvider)

    async def list_skills(self, cursor: str | None, caller: Caller, *, is_modern: bool) -> JsonObject:
        """`skills/list`. Raises CursorRefused."""
        trace = open_trace(caller)
        answer, following = await self._entries("skills/list", cursor, caller, trace)
        own = following | hints(self.options, is_modern=is_modern) | provenance(trace.origin)
        return {"skills": self._skills_json(answer)} | own

    async def list_resources(self, cursor: str | None, caller: Caller, *, is_modern: bool) -> JsonObject:
        """`resources/list`: each skill's `SKILL.md`. Raises CursorRefused."""
        answer, following = await self._entries("resources/list", cursor, caller, open_trace(caller))
        resources = [skill_resource_json(entry) for entry in answer.entries]
        return {"resources": resources} | following | hints(self.options, is_modern=is_modern)

    async def get_skill(self, uri: str, caller: Caller, *, is_modern: bool) -> JsonObject:
        """`skills/get`. Raises InvalidUri, NotServed."""
        trace, segments = open_trace(caller), parse_uri(uri)
        entry = None
        if len(segments) > 1 and segments[-1] == SKILL_MD:
            entry = await self.entry_at(segments[:-1], caller)
        if entry is None:
            raise NotServed(f"No skill with this URI is served here: {uri}")
        own = hints(self.options, is_modern=is_modern) | provenance(trace.origin)
        return {"skill": self._skill_json(entry)} | own

    async def read_resource(self, uri: str, caller: Caller, *, is_modern: bool) -> JsonObject:
        """`resources/read` of one file. Raises InvalidUri, NotServed, BinaryRefused, ContentTooLarge."""
        trace, segments = open_trace(caller), parse_uri(uri)
        for _ in range(_READ_TRIES):
            entry = await self._owner(segments[:-1], caller)
            file_path = "/".join(segments[len(entry.path.split("/")) :]) if entry else ""
            file = None if entry is None else entry.file(file_path)
            if entry is None or (file is None and not entry.is_dynamic):
                raise NotServed(f"No file with this URI is served here: {uri}")
            content = await self.provider.read(entry.path, file_path, caller)
            check_content(content)
            if is_as_published(content, file):
                contents = contents_json(uri, file_path, content)
                if self.journal is not None:
                    trace.size_bytes, trace.digest = len(content.data), file.digest if file else digest_of(content.data)
                return {"contents": [contents]} | hints(self.options, is_modern=is_modern)
        raise ContentChanged(f"{uri}: the provider's bytes are not the ones of its own entry")

    async def read_directory(self, uri: str, cursor: str | None, caller: Caller, *, is_modern: bool) -> JsonObject:
        """`resources/directory/read`. Raises InvalidUri, NotADirectory, CursorRefused."""
        trace, segments = open_trace(caller), parse_uri(uri)
        scope = CursorScope("resources/directory/read", (("uri", "/".join(segments)),), caller.principal)
        page = self.pager.open(cursor, scope, caller)
        entry = await self._owner(segments, caller)
        if entry is None:
            raise NotADirectory(f"No directory with this URI is served here: {uri}")
        answer = await self._children(entry, segments[len(entry.path.split("/")) :], page, caller, uri)
        check_directory_page(answer, page)
        following = self.pager.seal(answer.position, page, len(answer.children), scope, caller)
        resources = [child_json(segments, child, entry) for child in answer.children]
        check_uris(resources)
        trace.items = len(resources)
        return {"resources": resources} | following | hints(self.options, is_modern=is_modern)

    async def entry_at(self, segments: Sequence[str], caller: Caller) -> SkillEntry | None:
        """The skill at a path of decoded segments; None too where no skill can be, without asking. Checked."""
        path = self.spaces.skill_at(segments)
        if path is None:
            return None
        entry = await self.provider.get(path, caller)
        if entry is not None and (entry.path != path or not self._is_known(entry)):
            check_entry(entry, path=path)
        return entry

    def check(self, entries: Sequence[SkillEntry]) -> None:
        """Raises ProviderFault for entries of one page that may not be sent."""
        check_entries(entries, self.spaces.holds, self._is_known)

    async def owner_of(self, uri: str, caller: Caller) -> SkillEntry | None:
        """The skill that a file's URI belongs to; None too for a URI that no file can have."""
        try:
            segments = parse_uri(uri)
        except InvalidUri:
            return None
        return await self._owner(segments[:-1], caller)

    async def _entries(
        self, method: str, cursor: str | None, caller: Caller, trace: Trace
    ) -> tuple[EntryPage, dict[str, str]]:
        scope = CursorScope(method, (), caller.principal)
        page = self.pager.open(cursor, scope, caller)
        answer = await self.provider.list(page, caller)
        check_page(answer, page)
        if not self._is_known(answer):
            self.check(answer.entries)
        trace.items = len(answer.entries)
        return answer, self.pager.seal(answer.position, page, len(answer.entries), scope, caller)

    def _is_known(self, value: SkillEntry | EntryPage) -> bool:
        return self._is_warm and self.renderings.has(value)

    def _skill_json(self, entry: SkillEntry) -> JsonObject:
        text = self.renderings.entry(entry) if self._is_warm else None
        return entry_json(entry) if text is None else orjson.loads(text)

    def _skills_json(self, page: EntryPage) -> list[JsonObject]:
        text = self.renderings.page(page) if self._is_warm else None
        return [entry_json(entry) for entry in page.entries] if text is None else orjson.loads(text)

    async def _owner(self, segments: tuple[str, ...], caller: Caller) -> SkillEntry | None:
        """The outermost served skill at or above a place."""
        for depth in range(1, min(len(segments), MAX_SKILL_SEGMENTS) + 1):
            if (entry := await self.entry_at(segments[:depth], caller)) is not None:
                self.owners.remember(entry.path, caller)
                return entry
        return None

    async def _children(
        self, entry: SkillEntry, below: tuple[str, ...], page: Page, caller: Caller, uri: str
    ) -> DirectoryPage:
        directory_path = "/".join(below)
        if entry.is_dynamic:
            if not isinstance(self.provider, DirectoryProvider):
                raise ProviderFault(f"{entry.path!r} is dynamic and its provider cannot list directories")
            return await self.provider.read_directory(entry.path, directory_path, page, caller)
        children = children_of(entry, directory_path)
        if children is None:
            raise NotADirectory(f"No directory with this URI is served here: {uri}")
        return directory_page(children, page)
