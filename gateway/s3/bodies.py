"""The answer to a GetObject: its headers, and its body read no further than asked.

A body ends early as an aiohttp error, or just ends; it may also be longer than was promised. Both
are told by counting. Leaving `opened` closes what was not read: the connection goes, its place in
the pool comes back.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from gateway.errors import StoreUnavailable
from gateway.s3.answers import content_length
from gateway.s3.call import Call
from gateway.s3.faults import translated
from gateway.s3.meter import CallMeter

CHUNK_BYTES = 64 * 1024


class BodyBroken(StoreUnavailable):
    """The answer began and its body did not come whole. `attempts` is how many requests that answer took."""

    def __init__(self, message: str, attempts: int = 1) -> None:
        super().__init__(message)
        self.attempts = attempts


class Body:
    """Status, headers and bytes of one answer. `length` is Content-Length in bytes, None when it is absent."""

    def __init__(self, call: Call, metadata: Mapping[str, Any], stream: Any, meter: CallMeter) -> None:
        self.status: int = metadata["HTTPStatusCode"]
        self.headers: Mapping[str, str] = metadata["HTTPHeaders"]
        self.length = content_length(self.headers)
        self._attempts: int = 1 + metadata.get("RetryAttempts", 0)
        self._call, self._meter = call, meter
        self._stream = stream

    async def chunks(self, limit_bytes: int | None = None) -> AsyncIterator[bytes]:
        """The body in order, at most `limit_bytes` of it. Raises BodyBroken."""
        left = limit_bytes
        while left is None or left > 0:
            chunk = await self._read(CHUNK_BYTES if left is None else min(CHUNK_BYTES, left))
            if not chunk:
                return
            left = None if left is None else left - len(chunk)
            yield chunk

    async def read(self, skip: int, take: int) -> bytes:
        """At most `take` bytes after the first `skip`, holding no more than those. Raises BodyBroken."""
        data, _ = await self._collect(self.chunks(skip + take), skip, take)
        return data

    async def read_to_end(self, skip: int, take: int) -> tuple[bytes, int]:
        """As `read`, and the size of the whole body: for one that does not tell its length."""
        return await self._collect(self.chunks(), skip, take)

    def check_length(self, expected: int, read: int) -> None:
        """Raises BodyBroken unless `read` bytes came of `expected`."""
        if read != expected:
            text = f"{self._call}: {read} of {expected} bytes came; the answer ended early, try again"
            raise BodyBroken(text, self._attempts)

    async def _collect(self, chunks: AsyncIterator[bytes], skip: int, take: int) -> tuple[bytes, int]:
        kept, size = bytearray(), 0
        async for chunk in chunks:
            first = max(0, skip - size)
            kept += chunk[first : first + take - len(kept)]
            size += len(chunk)
        return bytes(kept), size

    async def _read(self, most_bytes: int) -> bytes:
        try:
            with translated(self._call):
                chunk: bytes = await self._stream.read(most_bytes)
        except StoreUnavailable as fault:
            raise BodyBroken(str(fault), self._attempts) from fault
        self._meter.moved(self._call.operation, received_bytes=len(chunk))
        return chunk


@asynccontextmanager
async def opened(call: Call, request: Awaitable[Any], meter: CallMeter) -> AsyncGenerator[Body]:
    """The answer to `request`, a call of get_object; closed at the end of the block."""
    with translated(call):
        answer = await request
    stream = answer["Body"]
    try:
        yield Body(call, answer["ResponseMetadata"], stream, meter)
    finally:
        stream.close()
