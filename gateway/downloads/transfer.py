"""The answer that is an archive, sent piece by piece.

Its first file is read before anything is sent, so that what fails at once is told properly. What fails later
breaks the connection: the length was promised, so that nobody takes what came for the whole. Nothing is read for a
client that has gone, and a client that takes nothing is let go.
Source: RFC 9112 section 8 (incomplete messages); ASGI 3.0, HTTP (disconnect).
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from hashlib import sha256

from starlette.types import Receive, Send

from gateway.downloads.answers import log_fault, reason_of
from gateway.skill.model import Digest

CANCELLED = "cancelled"


class Transfer:
    """One archive under way. After `begin` comes `send`; then `result`, `sent_bytes` and `digest` say how it ended."""

    def __init__(self, pieces: AsyncGenerator[bytes], asked: str, timeout_s: float) -> None:
        self._pieces, self._asked, self._timeout_s = pieces, asked, timeout_s
        self._hash, self._first = sha256(), b""
        self.sent_bytes = 0
        self.result = CANCELLED

    @property
    def digest(self) -> Digest:
        """Of what was sent."""
        return Digest("sha256:" + self._hash.hexdigest())

    async def begin(self) -> None:
        """Read the first file. Raises what reading it raises."""
        try:
            self._first = await anext(self._pieces)
        except BaseException:
            await self._pieces.aclose()
            raise

    async def send(self, headers: Mapping[str, str], receive: Receive, send: Send) -> None:
        """Send it all. Returns with the answer unfinished when that cannot be, and the server breaks it off."""
        sending, leaving = asyncio.create_task(self._send(headers, send)), asyncio.create_task(_left(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
            await self._pieces.aclose()  # of a task that was cancelled before it began nothing was closed

    async def _send(self, headers: Mapping[str, str], send: Send) -> None:
        fields = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
        try:
            async with aclosing(self._pieces):
                await send({"type": "http.response.start", "status": 200, "headers": fields})
                await self._pass(self._first, send)
                async for piece in self._pieces:
                    await self._pass(piece, send)
        except Exception as error:
            self.result = reason_of(error)
            log_fault(error, f"{self._asked}, broken off after {self.sent_bytes} bytes")
            return
        self.result = "ok"
        await send({"type": "http.response.body", "body": b""})

    async def _pass(self, piece: bytes, send: Send) -> None:
        async with asyncio.timeout(self._timeout_s):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        self.sent_bytes += len(piece)
        self._hash.update(piece)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
