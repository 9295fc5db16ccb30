"""HTTP/1.1 as uvicorn speaks it, with an end to how large the head of a request may be, and to how slowly one may come.

httptools has no bound of its own: a head without an end would be kept in memory for as long as bytes come, and a
connection that says nothing would be kept open for ever.

Source: RFC 6585 section 5 (431); RFC 9110 section 15.5.9 (408).
"""

import asyncio
import logging
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gateway.web.denials import EARLY

MAX_HEAD_BYTES = 64 * 1024
"""Room for a bearer token of 32 KiB and all that proxies add."""
_FIELD_BYTES = 4
"""What stands around a name and a value: a colon, a blank, the end of the line."""


_TOO_LARGE, _TOO_SLOW = b"431 Request Header Fields Too Large", b"408 Request Timeout"


class _TooLarge(Exception):
    """Ends the parsing."""


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's own protocol. A request is there within `receive_within_s` of its first byte, or of the connection."""

    receive_within_s: ClassVar[float] = 20.0

    _timer: asyncio.TimerHandle | None = None
    _is_receiving = True
    _chunk_bytes = 0
    _fed_bytes = 0  # since there was a body: of a head, a trailer, or the size of a chunk
    _is_too_large = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._chunk_bytes = len(data)
        self._fed_bytes += len(data)
        super().data_received(data)
        # A request that came in one piece has no timer.
        if not self._is_receiving:
            self._stop()
            return
        if self._timer is None:
            self._start()
        if self._fed_bytes > MAX_HEAD_BYTES:
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_receiving = True
        self._fed_bytes = 0

    def on_headers_complete(self) -> None:
        # Only a head that came with so many bytes can be too large: hardly any is ever measured.
        if self._fed_bytes + self._chunk_bytes > MAX_HEAD_BYTES and self._head_bytes() > MAX_HEAD_BYTES:
            self._is_too_large = True
            raise _TooLarge
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._fed_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_receiving = False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        if self._is_too_large:
            self._refuse(_TOO_LARGE)
        else:
            super().send_400_response(msg)

    def _head_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + _FIELD_BYTES for name, value in self.headers)

    def _start(self) -> None:
        self._timer = self.loop.call_later(self.receive_within_s, self._refuse, _TOO_SLOW)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: bytes) -> None:
        self._stop()
        if not self.transport.is_closing():
            EARLY.count("too_slow" if status is _TOO_SLOW else "head_too_large", level=logging.INFO)
            self.transport.write(b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            self.transport.close()
