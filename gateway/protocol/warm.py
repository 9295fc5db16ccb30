"""What can be answered from memory: the JSON text of a whole result, or None.

The rules are those of the adapter's own methods, which are asked whenever this says None: for all that
is not a plain success, for an error above all, and for whatever a provider would have to ask for. So an
error is found, told and logged in one place.

Source: SEP-2640; base schema 2026-07-28, `CacheableResult` and `_meta`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from mcp.server import Server
from mcp_types import SERVER_INFO_META_KEY

from gateway.audit.event import OK
from gateway.audit.trace import Trace, open_trace
from gateway.cursor import CursorScope
from gateway.errors import GatewayError
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.audited import asked_by
from gateway.protocol.checks import check_page
from gateway.protocol.places import skill_of
from gateway.protocol.wire import JsonObject, hints, provenance
from gateway.provider import Caller, EntryPage, Origin, Page, WarmProvider
from gateway.skill.model import SkillEntry, SkillPath, digest_of

Pieces = tuple[bytes, ...]
"""A text in pieces, to be joined once with what stands around it."""

_LIST, _READ = "skills/list", "resources/read"
_TAILS = 64


class WarmAnswers:
    """Answers for one adapter, from what it and its provider remember. Nothing here waits."""

    def __init__(self, adapter: SkillsAdapter, provider: WarmProvider, server_info: Mapping[str, object]) -> None:
        """`provider` is the adapter's; `server_info` is what the SDK stamps on every modern result."""
        self._provider, self._pager, self._renderings = provider, adapter.pager, adapter.renderings
        self._spaces, self._owners = adapter.spaces, adapter.owners
        self._first = Page(adapter.options.page_size)
        self._options, self._journal, self._server_info = adapter.options, adapter.journal, dict(server_info)
        self._tails: dict[tuple[Origin | None, bool], bytes] = {}
        self._answers: dict[str, Callable[[str, Trace], Pieces | None]] = {
            "skills/get": self._skill,
            _READ: self._file,
        }

    @property
    def is_audited(self) -> bool:
        """Whether `answer` wants the whole request."""
        return self._journal is not None

    def answer(
        self,
        method: str,
        argument: str | None,
        caller: Caller,
        *,
        is_modern: bool,
        message: object = None,
    ) -> Pieces | None:
        """The result of a method; `argument` is the cursor of `skills/list`, None on the first page, else the URI.

        `message` is the whole request, for the journal if there is one.
        """
        journal, trace = self._journal, open_trace(caller)
        asked = None if journal is None else asked_by(message, method, None if method == _LIST else argument)
        try:
            if method == _LIST:
                head = self._page(argument, trace)
            else:
                head = None if argument is None else self._answers[method](argument, trace)
        except GatewayError:
            return None
        if head is None:
            return None
        if journal is not None and asked is not None:
            journal.record(asked.answered(trace, OK))
        return *head, self._tail(None if method == _READ else trace.origin, is_modern=is_modern)

    def _tail(self, origin: Origin | None, *, is_modern: bool) -> bytes:
        """What a result ends with, whatever it is about."""
        key = (origin, is_modern)
        if (known := self._tails.get(key)) is not None:
            return known
        own: JsonObject = hints(self._options, is_modern=is_modern) | provenance(origin)
        if is_modern:
            own["_meta"] = own.get("_meta", {}) | {SERVER_INFO_META_KEY: self._server_info}
        if len(self._tails) >= _TAILS:
            self._tails.clear()
        self._tails[key] = b"," + orjson.dumps(own)[1:] if own else b"}"
        return self._tails[key]

    def _page(self, cursor: str | None, trace: Trace) -> Pieces | None:
        page, caller = self._first, trace.caller
        if cursor is not None:
            opened = self._pager.try_open(cursor, _scope(caller), caller)
            if opened is None:
                return None
            page = opened
        answer = self._provider.warm_list(page, caller)
        if answer is None:
            return None
        check_page(answer, page)
        trace.items = len(answer.entries)
        skills = self._renderings.page(answer)
        return None if skills is None else (b'{"skills":', skills, self._following(answer, page, caller))

    def _following(self, answer: EntryPage, page: Page, caller: Caller) -> bytes:
        if answer.position is None:
            return b""
        served, position = len(answer.entries), answer.position

        def seal() -> bytes:
            return b"," + orjson.dumps(self._pager.seal(position, page, served, _scope(caller), caller))[1:-1]

        # A cursor is made of nothing else, and is the same until its end moves on.
        return self._renderings.other((position, page.offset + served, caller, self._pager.expires_at()), seal)

    def _skill(self, uri: str, trace: Trace) -> Pieces | None:
        path = skill_of(self._spaces.places(uri))
        entry = None if path is None else self._provider.warm_get(path, trace.caller)
        if entry is None or entry.path != path:
            return None
        skill = self._renderings.entry(entry)
        return None if skill is None else (b'{"skill":', skill)

    def _file(self, uri: str, trace: Trace) -> Pieces | None:
        for path, file_path in self._spaces.places(uri):
            if (entry := self._provider.warm_get(path, trace.caller)) is not None:
                fields = self._fields(entry, path, file_path, trace)
                return None if fields is None else (b'{"contents":[{"uri":', orjson.dumps(uri), b",", fields, b"}]")
        return None

    def _fields(self, entry: SkillEntry, path: SkillPath, file_path: str, trace: Trace) -> bytes | None:
        # The outermost skill in memory may lie inside one that is not, unless somebody looked.
        if entry.path != path or not self._owners.knows(path, trace.caller):
            return None
        content = self._provider.warm_read(path, file_path, trace.caller)
        if content is None:
            return None
        if self._journal is not None:
            file = entry.file(file_path)
            trace.size_bytes, trace.digest = len(content.data), file.digest if file else digest_of(content.data)
        return self._renderings.content(entry, file_path, content)


def warm_answers(adapter: SkillsAdapter, server: Server[Any]) -> WarmAnswers | None:
    """What `server`, which was built around `adapter`, can answer from memory; None when it is nothing."""
    if not isinstance(adapter.provider, WarmProvider):
        return None
    return WarmAnswers(adapter, adapter.provider, server.server_info_stamp)


def _scope(caller: Caller) -> CursorScope:
    return CursorScope(_LIST, (), caller.principal)
