"""The discovery index over HTTP: made once for all who see the same, and kept for as long as what it says is fresh.

The first one reads every file of every skill of more than one, because the draft wants digests of archives. It takes
as long as one request may, and what was found out is kept: whoever is told to come back gets further.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from hashlib import sha256

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.audit.event import OK
from gateway.downloads.answers import answer_to, is_known, not_modified, refusal
from gateway.downloads.asking import Asking, asking
from gateway.downloads.digests import Digests
from gateway.downloads.listing import Omitted, Row, document_of
from gateway.downloads.options import DownloadOptions, Place
from gateway.downloads.package import package_beside
from gateway.errors import ContentChanged, CursorRefused, NotServed, RequestError
from gateway.memory.flights import Flights
from gateway.protocol.checks import check_page
from gateway.provider import Page
from gateway.releases.together import for_each
from gateway.skill.model import SkillEntry, SkillPath

MAX_SKILLS = 10_000
MAX_BYTES = 16 * 1024 * 1024
_PAGE = 200
_AT_A_TIME = 50
"""So many skills are looked at before others get their turn on the loop."""
_AT_ONCE = 4
_TOO_MANY = f"There are more skills than the {MAX_SKILLS} that one index holds; list them over MCP"
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
            rows = [row async for page in _pages(asked) for row in await self._rows(asked, page)]
        # A tenth of a second for 10,000 skills, in which others are answered.
        body, items = await asyncio.to_thread(document_of, rows, self._place.prefix)
        if len(body) > MAX_BYTES:
            raise IndexTooLarge(_TOO_LONG)
        made = self._kept[seen] = _Made(body, items, until)
        return made

    async def _rows(self, asked: Asking, entries: Sequence[SkillEntry]) -> list[Row | Omitted]:
        """In the order of the entries."""
        found: dict[SkillPath, Row | Omitted] = {}

        async def each() -> AsyncGenerator[SkillEntry]:
            for number, entry in enumerate(entries):
                if number % _AT_A_TIME == 0:
                    await asyncio.sleep(0)
                yield entry

        async def find(entry: SkillEntry) -> None:
            found[entry.path] = await self._row(asked, entry)

        await for_each(each(), find, _AT_ONCE)
        return [found[entry.path] for entry in entries]

    async def _row(self, asked: Asking, entry: SkillEntry) -> Row | Omitted:
        try:
            package = await package_beside(entry, "", self._options.max_file_bytes)
            is_archive = len(package.files) > 1
            read = asked.reading(entry, self._options)
            digest = await self._digests.of(package, read) if is_archive else package.files[0].digest
        except NotServed as gone:
            raise ContentChanged(f"{entry.path!r} went while the index was made") from gone
        except RequestError as error:
            return Omitted(entry.path, str(error))
        return Row(entry.path, entry.name, entry.description, digest, is_archive)


async def _pages(asked: Asking) -> AsyncGenerator[list[SkillEntry]]:
    """Every skill that the caller sees, each once. Raises IndexTooLarge."""
    seen: set[SkillPath] = set()
    position = None
    while True:
        page = Page(_PAGE, len(seen), position)
        try:
            answer = await asked.adapter.provider.list(page, asked.caller)
        except CursorRefused as gone:
            raise ContentChanged("what is served was replaced while it was listed") from gone
        check_page(answer, page)
        asked.adapter.check(answer.entries)
        entries = [entry for entry in answer.entries if entry.path not in seen]
        seen.update(entry.path for entry in entries)
        if len(seen) > MAX_SKILLS:
            raise IndexTooLarge(_TOO_MANY)
        yield entries
        if (position := answer.position) is None:
            return
