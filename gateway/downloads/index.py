"""The discovery index over HTTP: made once for all who see the same, and kept for as long as what it says is fresh.

The first one reads every file of every skill of more than one, because the draft wants digests of archives. It takes
as long as one request may, and what was found out is kept: whoever is told to come back gets further.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from hashlib import sha256

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.audit.event import OK
from gateway.downloads.answers import answer_to, is_known, not_modified, refusal
from gateway.downloads.asking import Asking, asking
from gateway.downloads.digests import Digests
from gateway.downloads.listing import Omitted, Row, document_of, row_of, shared_names
from gateway.downloads.options import DownloadOptions, Place
from gateway.errors import ContentChanged, NotServed, RequestError
from gateway.memory.flights import Flights
from gateway.protocol.checks import check_entries, check_page
from gateway.protocol.places import Namespaces
from gateway.provider import Page
from gateway.releases.together import for_each
from gateway.skill.model import SKILL_MD, Digest, SkillEntry

MAX_SKILLS = 10_000
MAX_FILES = 200_000
MAX_BYTES = 16 * 1024 * 1024
_PAGE = 200
_AT_A_TIME = 50
"""So many skills are looked at before others get their turn on the loop."""
_AT_ONCE = 4
_TOO_MANY = (
    f"There are more than the {MAX_SKILLS} skills, or {MAX_FILES} files, that one index is made of; list over MCP"
)
_TOO_LONG = f"The index would have more than {MAX_BYTES} bytes; list the skills over MCP"
_NOT_READY = "Not every digest of the index is known yet; what was found out is kept, so ask again"

_Seen = tuple[str, frozenset[int]]
"""Variant and grants: who has the same ones sees the same."""


class IndexTooLarge(RequestError):
    """More than one document can hold."""

    reason = "index_too_large"


class _Made:
    __slots__ = ("body", "etag", "items", "until")

    def __init__(self, body: bytes, items: int, until: float) -> None:
        self.body, self.items, self.until = body, items, until
        self.etag = f'"{sha256(body).hexdigest()}"'


class SkillIndex:
    """ASGI app of the route of the index."""

    def __init__(
        self,
        options: DownloadOptions,
        digests: Digests,
        place: Place,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options, self._digests, self._place, self._now = options, digests, place, now
        self._kept = LRUCache[_Seen, _Made](MAX_BYTES, getsizeof=lambda made: len(made.body))
        self._flights: Flights[_Seen, _Made] = Flights(now)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        async with asking(request, self._place.variant) as asked:
            try:
                answer = self._answer(asked, await self._made(asked))
            except IndexTooLarge as error:
                answer, asked.result = refusal(507, str(error)), error.reason
            except TimeoutError:
                answer, asked.result = refusal(503, _NOT_READY, is_retried=True), "timeout"
            except Exception as error:
                answer, asked.result = answer_to(error, scope["path"])
            await answer(scope, receive, send)

    def _answer(self, asked: Asking, made: _Made) -> Response:
        headers = {
            "ETag": made.etag,
            "Cache-Control": self._options.cache_control,
            "X-Content-Type-Options": "nosniff",
        }
        asked.result, asked.trace.items = OK, made.items
        if is_known(asked.request, made.etag):
            return not_modified(headers)
        return Response(made.body, headers=headers, media_type="application/json")

    async def _made(self, asked: Asking) -> _Made:
        seen = (asked.caller.variant, asked.caller.grants)
        kept = self._kept.get(seen)
        if kept is not None and self._now() < kept.until:
            return kept
        return await self._flights.join(seen, lambda: self._make(asked, seen))

    async def _make(self, asked: Asking, seen: _Seen) -> _Made:
        until = self._now() + self._options.freshness_s
        async with asyncio.timeout(self._options.timeout_s):
            rows, omitted = await self._rows(await _entries(asked))
            digests = await self._digests_of(asked, rows, omitted)
        listed = [(row, digests[row.entry.path]) for row in rows if row.entry.path in digests]
        body = document_of(listed, omitted, self._place.prefix)
        if len(body) > MAX_BYTES:
            raise IndexTooLarge(_TOO_LONG)
        made = self._kept[seen] = _Made(body, len(listed), until)
        return made

    async def _rows(self, entries: list[SkillEntry]) -> tuple[list[Row], list[Omitted]]:
        shared = shared_names(entries)
        rows: list[Row] = []
        omitted: list[Omitted] = []
        for number, entry in enumerate(entries):
            if number % _AT_A_TIME == 0:
                await asyncio.sleep(0)
            row = row_of(entry, shared, self._options.max_file_bytes)
            rows.append(row) if isinstance(row, Row) else omitted.append(row)
        return rows, omitted

    async def _digests_of(self, asked: Asking, rows: list[Row], omitted: list[Omitted]) -> dict[str, Digest]:
        """By path. What cannot be read as it is goes to `omitted`."""
        found: dict[str, Digest] = {}

        async def each() -> AsyncGenerator[Row]:
            for row in rows:
                yield row

        async def find(row: Row) -> None:
            try:
                found[row.entry.path] = await self._digest_of(asked, row)
            except NotServed as gone:
                raise ContentChanged(f"{row.entry.path!r} went while the index was made") from gone
            except RequestError as error:
                omitted.append(Omitted(row.entry.path, str(error)))

        await for_each(each(), find, _AT_ONCE)
        omitted.sort(key=lambda one: one.path)
        return found

    async def _digest_of(self, asked: Asking, row: Row) -> Digest:
        if row.package is not None:
            return await self._digests.of(row.package, asked.reading(row.entry, self._options))
        file = row.entry.file(SKILL_MD)
        assert file is not None
        return file.digest


async def _entries(asked: Asking) -> list[SkillEntry]:
    """Every skill that the caller sees. Raises IndexTooLarge."""
    entries: dict[str, SkillEntry] = {}
    files = 0
    spaces, position = Namespaces(asked.provider.namespaces), None
    while True:
        page = Page(_PAGE, len(entries), position)
        answer = await asked.provider.list(page, asked.caller)
        check_page(answer, page)
        check_entries(answer.entries, spaces.holds, lambda entry: False)
        entries |= {entry.path: entry for entry in answer.entries}
        files += sum(len(entry.files or ()) for entry in answer.entries)
        if len(entries) > MAX_SKILLS or files > MAX_FILES:
            raise IndexTooLarge(_TOO_MANY)
        if (position := answer.position) is None:
            return list(entries.values())
        await asyncio.sleep(0)
