"""The port over one bucket: a call, a value, or an error of `gateway.errors`.

Every call has a deadline over all its attempts and its whole body (put_object waits for `100
Continue` with no read timeout at all), and goes through one limiter. Source: S3
API reference.
"""

import asyncio
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Any

from gateway.errors import (
    BucketMissing,
    ObjectChanged,
    ObjectMissing,
    ObjectTooLarge,
    StoreError,
    StoreMisbehaved,
    StoreUnavailable,
)
from gateway.objects import MAX_LIST_KEYS, ByteRange, ListPage, ObjectHead, ObjectKey, ObjectSlice
from gateway.s3.answers import content_length, plan_range_read, read_head
from gateway.s3.bodies import Body, opened
from gateway.s3.call import Call
from gateway.s3.faults import translated
from gateway.s3.hooks import LISTING_BODY
from gateway.s3.listing import ListingError, bare_etag, read_listing
from gateway.s3.options import S3Options
from gateway.s3.refusals import RangeUnsatisfiable

if TYPE_CHECKING:
    from types_aiobotocore_s3.client import S3Client

_BUCKET_STANDS_S = 60.0
"""For so long a bucket that was there is taken to be there still."""


class S3Store:
    """One bucket of an S3 store. Made by `open_store`; belongs to the loop it was made on."""

    def __init__(self, client: "S3Client", options: S3Options) -> None:
        # Any: a typed client would want a TypedDict for each optional parameter.
        self._client: Any = client
        self._options = options
        self._limiter = asyncio.Semaphore(options.max_concurrency)
        self._bucket_seen_at = -_BUCKET_STANDS_S

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = MAX_LIST_KEYS, by_directory: bool = False
    ) -> ListPage:
        call = self._call("ListObjectsV2")
        # Without MaxKeys MinIO's code of 2021 sends 4,500 keys. EncodingType is set and known by botocore.
        params: dict[str, Any] = {"Bucket": self._options.bucket, "Prefix": prefix, "MaxKeys": max_keys}
        if token is not None:
            params["ContinuationToken"] = token
        if by_directory:
            params["Delimiter"] = "/"
        async with self._bounded(call):
            with translated(call):
                answer = await self._client.list_objects_v2(**params)
        try:
            return read_listing(answer[LISTING_BODY])
        except ListingError as fault:
            raise StoreMisbehaved(f"{call} with prefix {prefix!r}: the store sent {fault}") from None

    async def head(self, key: ObjectKey) -> ObjectHead:
        call = self._call("HeadObject", key)
        async with self._bounded(call):
            return await self._head(call, key)

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        call = self._call("GetObject", key)
        async with self._bounded(call):
            try:
                async with self._get(call, key, if_match, Range=f"bytes={span.start}-{span.stop - 1}") as body:
                    return await _read_span(call, body, span)
            except RangeUnsatisfiable:
                head = await self._head(call, key, if_match)  # a 416 says nothing of the object itself
            if head.size > span.start:
                raise ObjectChanged(f"{call}: {head.size} bytes now, and none from {span.start} on a moment ago")
            return ObjectSlice(b"", head)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        call = self._call("GetObject", key)
        async with self._bounded(call), self._get(call, key, if_match) as body:
            if body.length is not None and body.length > max_bytes:
                raise ObjectTooLarge(f"{call}: {body.length} bytes, at most {max_bytes} are read")
            data = await body.read(0, max_bytes + 1)  # one more tells whether a body of unknown length goes on
            if len(data) > max_bytes:
                raise ObjectTooLarge(f"{call}: more than {max_bytes} bytes, the most that is read")
            body.check_length(len(data) if body.length is None else body.length, len(data))
            return ObjectSlice(data, read_head(body.headers, len(data)))

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        call = self._call("GetObject", key)
        size = 0
        async with self._bounded(call), self._get(call, key, if_match) as body:
            async for chunk in body.chunks():
                size += len(chunk)
                sink(chunk)
            body.check_length(size if body.length is None else body.length, size)
            return read_head(body.headers, size)

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        call = self._call("PutObject", key)
        checksum = b64encode(sha256(data).digest()).decode()
        params: dict[str, Any] = {"ChecksumAlgorithm": "SHA256", "ChecksumSHA256": checksum}
        if media_type is not None:
            params["ContentType"] = media_type
        if if_match:
            params["IfMatch"] = _quoted_etag(if_match)
        if if_absent:
            params["IfNoneMatch"] = "*"
        async with self._bounded(call):
            try:
                with translated(call):
                    answer = await self._client.put_object(Bucket=self._options.bucket, Key=key, Body=data, **params)
            except ObjectMissing as missing:
                if not if_match:
                    raise
                # S3 answers 404, not 412, when If-Match names an object that is gone.
                raise ObjectChanged(str(missing)) from missing
        return bare_etag(answer.get("ETag"))

    async def _head(self, call: Call, key: ObjectKey, if_match: str = "") -> ObjectHead:
        try:
            with translated(call):
                answer = await self._client.head_object(
                    Bucket=self._options.bucket, Key=key, ChecksumMode="ENABLED", **_condition(if_match)
                )
        except ObjectMissing:
            await self._check_bucket()
            raise
        headers = answer["ResponseMetadata"]["HTTPHeaders"]
        size = content_length(headers)
        if size is None:
            raise StoreMisbehaved(f"{call}: the answer to a HEAD has no Content-Length")
        return read_head(headers, size)

    async def _check_bucket(self) -> None:
        """A HEAD has no body to say NoSuchBucket in, so a 404 may mean either: ask, now and then.

        Raises BucketMissing; any other answer leaves the 404 to be what it seems.
        """
        now = monotonic()
        if now - self._bucket_seen_at < _BUCKET_STANDS_S:
            return
        call = self._call("HeadBucket")
        try:
            with translated(call):
                await self._client.head_bucket(Bucket=self._options.bucket)
        except ObjectMissing:
            raise BucketMissing(f"{call}: there is no such bucket; create it, or correct the bucket's name") from None
        except StoreError:
            return
        self._bucket_seen_at = now

    def _get(self, call: Call, key: ObjectKey, if_match: str, **params: str) -> AbstractAsyncContextManager[Body]:
        # No ChecksumMode: some stores send the whole object's checksum with a range, and botocore would compare.
        return opened(
            call, self._client.get_object(Bucket=self._options.bucket, Key=key, **_condition(if_match), **params)
        )

    @asynccontextmanager
    async def _bounded(self, call: Call) -> AsyncGenerator[None]:
        # Waiting for a place is outside the deadline: a long queue is no fault of the store.
        async with self._limiter:
            deadline = asyncio.timeout(self._options.call_timeout_s)
            try:
                async with deadline:
                    yield
            except TimeoutError:
                if not deadline.expired():
                    raise
                limit_s = self._options.call_timeout_s
                raise StoreUnavailable(f"{call}: no whole answer within {limit_s:g} s; try again later") from None

    def _call(self, operation: str, key: str | None = None) -> Call:
        options = self._options
        return Call(operation, options.bucket, options.place, key, options.region)


async def _read_span(call: Call, body: Body, span: ByteRange) -> ObjectSlice:
    content_range = body.headers.get("content-range")
    plan = plan_range_read(span, body.status, content_range, body.length)
    if plan is None:
        got = f"{body.status} with Content-Range {content_range!r}"
        raise StoreMisbehaved(f"{call}: asked for bytes {span.start}-{span.stop - 1}, got {got}")
    if plan.size is None:
        data, size = await body.read_to_end(plan.skip, plan.take)
    else:
        data, size = await body.read(plan.skip, plan.take), plan.size
        body.check_length(plan.take, len(data))
    return ObjectSlice(data, read_head(body.headers, size, is_whole=len(data) == size))


def _condition(if_match: str) -> dict[str, str]:
    return {"IfMatch": _quoted_etag(if_match)} if if_match else {}


def _quoted_etag(etag: str) -> str:
    return f'"{etag}"'
