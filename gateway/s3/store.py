"""The port over one bucket: a call, a value, or an error of `gateway.errors`.

Every call has a deadline over all its attempts and its whole body, and goes through one limiter. A
read whose body breaks is tried again inside the same call. Source: S3 API reference.
"""

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, TypeVar

from gateway.errors import ObjectChanged, ObjectMissing, StoreMisbehaved
from gateway.objects import MAX_LIST_KEYS, ByteRange, ListPage, ObjectHead, ObjectKey, ObjectSlice, Pace
from gateway.s3.answers import content_length, read_head
from gateway.s3.call import Call
from gateway.s3.calls import BucketCalls, condition
from gateway.s3.listing import ListingError, bare_etag, listing_steps
from gateway.s3.reads import read_into, read_span, read_whole
from gateway.s3.refusals import RangeUnsatisfiable
from gateway.s3.retries import whole_or_again

T = TypeVar("T")


class S3Store:
    """One bucket of an S3 store. Made by `open_store`; belongs to the loop it was made on."""

    def __init__(self, calls: BucketCalls, max_attempts: int) -> None:
        self._calls = calls
        self._max_attempts = max_attempts

    @property
    def pace(self) -> Pace:
        """How many calls are under way, and how many the store lets be."""
        return self._calls.pace

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = MAX_LIST_KEYS, by_directory: bool = False
    ) -> ListPage:
        call = self._calls.call("ListObjectsV2")
        # Without MaxKeys MinIO's code of 2021 sends 4,500 keys. EncodingType is set and known by botocore.
        params: dict[str, Any] = {"Prefix": prefix, "MaxKeys": max_keys}
        if token is not None:
            params["ContinuationToken"] = token
        if by_directory:
            params["Delimiter"] = "/"
        async with self._calls.bounded(call):
            body = await self._calls.list_objects(call, **params)
        try:
            return await _read_listing(body)
        except ListingError as fault:
            raise StoreMisbehaved(f"{call} with prefix {prefix!r}: the store sent {fault}") from None

    async def head(self, key: ObjectKey) -> ObjectHead:
        call = self._calls.call("HeadObject", key)
        async with self._calls.bounded(call):
            return await self._head(call, key)

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        call = self._calls.call("GetObject", key)

        async def read() -> ObjectSlice:
            wanted = f"bytes={span.start}-{span.stop - 1}"
            async with self._calls.get_object(call, key, if_match, Range=wanted) as body:
                return await read_span(call, body, span)

        async with self._calls.bounded(call):
            try:
                return await self._whole(call, read)
            except RangeUnsatisfiable:
                head = await self._head(call, key, if_match)  # a 416 says nothing of the object itself
        if head.size > span.start:
            raise ObjectChanged(f"{call}: {head.size} bytes now, and none from {span.start} on a moment ago")
        return ObjectSlice(b"", head)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        call = self._calls.call("GetObject", key)

        async def read() -> ObjectSlice:
            async with self._calls.get_object(call, key, if_match) as body:
                return await read_whole(call, body, max_bytes)

        return await self._read(call, read)

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        call = self._calls.call("GetObject", key)

        async def read() -> ObjectHead:
            async with self._calls.get_object(call, key, if_match) as body:
                return await read_into(body, sink)

        return await self._read(call, read)

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        call = self._calls.call("PutObject", key)
        checksum = b64encode(sha256(data).digest()).decode()
        params = {"ChecksumAlgorithm": "SHA256", "ChecksumSHA256": checksum, **condition(if_match)}
        if media_type is not None:
            params["ContentType"] = media_type
        if if_absent:
            params["IfNoneMatch"] = "*"
        async with self._calls.bounded(call):
            try:
                return bare_etag(await self._calls.put_object(call, key, data, **params))
            except ObjectMissing as missing:
                if not if_match:
                    raise
                # S3 answers 404, not 412, when If-Match names an object that is gone.
                raise ObjectChanged(str(missing)) from missing

    async def delete(self, key: ObjectKey) -> None:
        call = self._calls.call("DeleteObject", key)
        async with self._calls.bounded(call):
            await self._calls.delete_object(call, key)

    async def _head(self, call: Call, key: ObjectKey, if_match: str = "") -> ObjectHead:
        headers = await self._calls.head_object(call, key, if_match)
        size = content_length(headers)
        if size is None:
            raise StoreMisbehaved(f"{call}: the answer to a HEAD has no Content-Length")
        return read_head(headers, size)

    async def _read(self, call: Call, read: Callable[[], Awaitable[T]]) -> T:
        async with self._calls.bounded(call):
            return await self._whole(call, read)

    async def _whole(self, call: Call, read: Callable[[], Awaitable[T]]) -> T:
        return await whole_or_again(read, self._max_attempts, retrying=lambda: self._calls.read_again(call))


async def _read_listing(body: bytes) -> ListPage:
    steps = listing_steps(body)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        await asyncio.sleep(0)  # a page of 1,000 keys would hold the loop too long
