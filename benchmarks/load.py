"""The load: a small HTTP/1.1 client of known cost, on raw connections that stay open.

Each connection has one request under way. The requests were encoded before; of an answer the status
and the length are looked at, the contents were checked once before the rounds.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import cast

import uvloop

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"
_STUCK_AFTER_S = 30.0


class BadAnswer(Exception):
    """An answer that was not like the first one, or none at all."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a load saw: latencies in seconds, how long it took, and its own CPU."""

    latencies: list[float]
    took_s: float
    client_cpu_s: float


def drive(port: int, requests: Sequence[bytes], *, connections: int, for_s: float) -> Load:
    """Keep `connections` requests under way for a time; returns when the last answer is in. Raises BadAnswer."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_drive(port, requests, connections, for_s))


def ask(port: int, request: bytes, *, within_s: float = _STUCK_AFTER_S) -> tuple[int, bytes]:
    """Status and body of one answer. Raises BadAnswer when there is none in time."""
    seen: list[tuple[int, bytes]] = []

    async def run() -> None:
        done = asyncio.get_running_loop().create_future()

        def keep(connection: "_Connection", status: int, body: bytes) -> None:
            seen.append((status, body))
            connection.close()

        await _open(port, iter([request]), keep, done)
        await _finished([done], within_s)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
    return seen[0]


async def _drive(port: int, requests: Sequence[bytes], connections: int, for_s: float) -> Load:
    loop = asyncio.get_running_loop()
    latencies: list[float] = []
    lengths: set[int] = set()
    waiting = [loop.create_future() for _ in range(connections)]
    cpu_before = time.process_time()
    begun = time.perf_counter()
    until = begun + for_s

    def count(connection: "_Connection", status: int, body: bytes) -> None:
        now = time.perf_counter()
        latencies.append(now - connection.sent_at)
        lengths.add(len(body))
        if status != 200 or len(lengths) > 1:
            connection.fail(BadAnswer(f"status {status}, {len(body)} bytes; the lengths so far: {sorted(lengths)}"))
        elif now < until:
            connection.send_next()
        else:
            connection.close()

    endless = cycle(requests)
    await asyncio.gather(*(_open(port, endless, count, done) for done in waiting))
    await _finished(waiting, for_s + _STUCK_AFTER_S)
    took_s = time.perf_counter() - begun
    return Load(latencies, took_s, time.process_time() - cpu_before)


async def _finished(waiting: Sequence["asyncio.Future[None]"], within_s: float) -> None:
    try:
        async with asyncio.timeout(within_s):
            await asyncio.gather(*waiting)
    except TimeoutError:
        raise BadAnswer(f"an answer was not there after {within_s:g} s") from None


OnAnswer = Callable[["_Connection", int, bytes], None]


async def _open(port: int, requests: Iterator[bytes], on_answer: OnAnswer, done: "asyncio.Future[None]") -> None:
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: _Connection(requests, on_answer, done), "127.0.0.1", port)


class _Connection(asyncio.Protocol):
    """One connection: sends, waits for the whole answer, tells `on_answer`, which says how to go on."""

    def __init__(self, requests: Iterator[bytes], on_answer: OnAnswer, done: "asyncio.Future[None]") -> None:
        self._requests, self._on_answer, self._done = requests, on_answer, done
        self._buffer = bytearray()
        self._needs: int | None = None
        self._head_end = 0
        self.sent_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.send_next()

    def send_next(self) -> None:
        self._needs, self._head_end = None, 0
        self._buffer.clear()
        self.sent_at = time.perf_counter()
        self._transport.write(next(self._requests))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._head_end and not self._read_head():
            return
        if self._needs is None:
            # JSON has no bare line break, so this ends the last chunk and nothing else.
            if self._buffer.endswith(b"\r\n0\r\n\r\n"):
                self._answered(_unchunked(bytes(self._buffer[self._head_end :])))
        elif len(self._buffer) >= self._needs:
            self._answered(bytes(self._buffer[self._head_end :]))

    def connection_lost(self, exc: Exception | None) -> None:
        self.fail(BadAnswer(f"the server closed the connection: {exc or 'no answer'}"))

    def close(self) -> None:
        if not self._done.done():
            self._done.set_result(None)
        self._transport.close()

    def fail(self, reason: BadAnswer) -> None:
        if not self._done.done():
            self._done.set_exception(reason)
        self._transport.close()

    def _read_head(self) -> bool:
        end = self._buffer.find(_HEAD_END)
        if end < 0:
            return False
        head = self._buffer[: end + 2]
        self._head_end = end + len(_HEAD_END)
        if length := _LENGTH.search(head):
            self._needs = self._head_end + int(length[1])
        elif not _CHUNKED.search(head):
            self.fail(BadAnswer(f"an answer of unknown length: {bytes(head[:100])!r}"))
        return True

    def _answered(self, body: bytes) -> None:
        self._on_answer(self, int(self._buffer[9:12]), body)


def _unchunked(body: bytes) -> bytes:
    """The contents of a chunked body. Source: RFC 9112 section 7.1."""
    contents = bytearray()
    while body:
        size_text, _, rest = body.partition(b"\r\n")
        size = int(size_text.split(b";")[0], 16)
        contents += rest[:size]
        body = rest[size + 2 :]
        if size == 0:
            break
    return bytes(contents)
