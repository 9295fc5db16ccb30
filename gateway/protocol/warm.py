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

from gateway.cursor import CursorScope
from gateway.errors import GatewayError
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.checks import check_page
from gateway.protocol.places import skill_of
from gateway.protocol.wire import hints
from gateway.provider import Caller, EntryPage, Page, WarmProvider
from gateway.skill.model import SkillEntry, SkillPath

Pieces = tuple[bytes, ...]
"""A text in pieces, to be joined once with what stands around it."""

_LIST = "skills/list"


class WarmAnswers:
    """Answers for one adapter, from what it and its provider remember. Nothing here waits."""

    def __init__(self, adapter: SkillsAdapter, provider: WarmProvider, server_info: Mapping[str, object]) -> None:
        """`provider` is the adapter's; `server_info` is what the SDK stamps on every modern result."""
        self._provider, self._pager, self._renderings = provider, adapter.pager, adapter.renderings
        self._spaces, self._owners = adapter.spaces, adapter.owners
        self._first = Page(adapter.options.page_size)
        modern = hints(adapter.options, is_modern=True) | {"_meta": {SERVER_INFO_META_KEY: dict(server_info)}}
        self._modern_tail, self._legacy_tail = b"," + orjson.dumps(modern)[1:], b"}"
        self._answers: dict[str, Callable[[str, Caller], Pieces | None]] = {
            "skills/get": self._skill,
            "resources/read": self._file,
        }

    def answer(self, method: str, argument: str | None, caller: Caller, *, is_modern: bool) -> Pieces | None:
        """The result of a method; `argument` is the cursor of `skills/list`, None on the first page, else the URI."""
        try:
            if method == _LIST:
                head = self._page(argument, caller)
            else:
                head = None if argument is None else self._answers[method](argument, caller)
        except GatewayError:
            return None
        if head is None:
            return None
        return *head, self._modern_tail if is_modern else self._legacy_tail

    def _page(self, cursor: str | None, caller: Caller) -> Pieces | None:
        page = self._first
        if cursor is not None:
            opened = self._pager.try_open(cursor, _scope(caller), caller)
            if opened is None:
                return None
            page = opened
        answer = self._provider.warm_list(page, caller)
        if answer is None:
            return None
        check_page(answer, page)
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

    def _skill(self, uri: str, caller: Caller) -> Pieces | None:
        path = skill_of(self._spaces.places(uri))
        entry = None if path is None else self._provider.warm_get(path, caller)
        if entry is None or entry.path != path:
            return None
        skill = self._renderings.entry(entry)
        return None if skill is None else (b'{"skill":', skill)

    def _file(self, uri: str, caller: Caller) -> Pieces | None:
        for path, file_path in self._spaces.places(uri):
            if (entry := self._provider.warm_get(path, caller)) is not None:
                fields = self._fields(entry, path, file_path, caller)
                return None if fields is None else (b'{"contents":[{"uri":', orjson.dumps(uri), b",", fields, b"}]")
        return None

    def _fields(self, entry: SkillEntry, path: SkillPath, file_path: str, caller: Caller) -> bytes | None:
        # The outermost skill in memory may lie inside one that is not, unless somebody looked.
        if entry.path != path or not self._owners.knows(path, caller):
            return None
        content = self._provider.warm_read(path, file_path, caller)
        return None if content is None else self._renderings.content(entry, file_path, content)


def warm_answers(adapter: SkillsAdapter, server: Server[Any]) -> WarmAnswers | None:
    """What `server`, which was built around `adapter`, can answer from memory; None when it is nothing."""
    if not isinstance(adapter.provider, WarmProvider):
        return None
    return WarmAnswers(adapter, adapter.provider, server.server_info_stamp)


def _scope(caller: Caller) -> CursorScope:
    return CursorScope(_LIST, (), caller.principal)
