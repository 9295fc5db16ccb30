"""Calls of the client on one bucket, each with a place, a deadline and errors of ours.

The deadline is over all attempts of a call and its whole body (put_object waits for `100 Continue` with no
read timeout at all). What the answers mean for the port is not known here. Source: S3 API reference.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from gateway.errors import BucketMissing, GatewayError, ObjectMissing, StoreError, StoreUnavailable
from gateway.objects import Pace
from gateway.s3.bodies import Body, opened
from gateway.s3.call import Call
from gateway.s3.faults import translated
from gateway.s3.hooks import LISTING_BODY
from gateway.s3.limiter import Limiter
from gateway.s3.meter import CallMeter
from gateway.s3.options import S3Options
from gateway.tracing.spans import store_span

if TYPE_CHECKING:
    from types_aiobotocore_s3.client import S3Client

_BUCKET_STANDS_S = 60.0
"""For so long a bucket that was there is taken to be there still."""


class BucketCalls:
    """The client of one bucket."""

    def __init__(self, client: "S3Client", options: S3Options, limiter: Limiter, meter: CallMeter) -> None:
        # Any: a typed client would want a TypedDict for each optional parameter.
        self._client: Any = client
        self._options = options
        self._limiter, self._meter = limiter, meter
        self._bucket_seen_at = -_BUCKET_STANDS_S

    @property
    def pace(self) -> Pace:
        return self._limiter.pace

    def call(self, operation: str, key: str | None = None) -> Call:
        """What errors say was asked."""
        options = self._options
        return Call(operation, options.bucket, options.place, key, options.region)

    def read_again(self, call: Call) -> None:
        """To be told when a body broke and its object is asked for once more."""
        self._meter.retried(call.operation, "body")

    @asynccontextmanager
    async def bounded(self, call: Call) -> AsyncGenerator[None]:
        """A place among the calls that are under way, and a deadline. Raises StoreUnavailable at the deadline."""
        # Waiting for a place is outside the deadline: a long queue is no fault of the store.
        async with self._limiter.place(), self._metered(call):
            deadline = asyncio.timeout(self._options.call_timeout_s)
            try:
                async with deadline:
                    yield
            except TimeoutError:
                if not deadline.expired():
                    raise
                self._meter.unanswered(call.operation, "deadline")
                limit_s = self._options.call_timeout_s
                raise StoreUnavailable(f"{call}: no whole answer within {limit_s:g} s; try again later") from None

    @asynccontextmanager
    async def _metered(self, call: Call) -> AsyncGenerator[None]:
        began, outcome = monotonic(), "internal"
        try:
            with store_span(call.operation, call.bucket, call.key):
                yield
            outcome = "ok"
        except GatewayError as error:
            outcome = error.reason
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            self._meter.called(call.operation, outcome, monotonic() - began)

    async def list_objects(self, call: Call, **params: Any) -> bytes:
        """The body of one page, as it came."""
        with translated(call):
            answer = await self._client.list_objects_v2(Bucket=self._options.bucket, **params)
        body: bytes = answer[LISTING_BODY]
        self._meter.moved(call.operation, received_bytes=len(body))
        return body

    async def head_object(self, call: Call, key: str, if_match: str = "") -> Mapping[str, str]:
        """The headers of a HEAD, with its checksum."""
        try:
            with translated(call):
                answer = await self._client.head_object(
                    Bucket=self._options.bucket, Key=key, ChecksumMode="ENABLED", **condition(if_match)
                )
        except ObjectMissing:
            await self._check_bucket()
            raise
        return answer["ResponseMetadata"]["HTTPHeaders"]

    def get_object(self, call: Call, key: str, if_match: str = "", **params: str) -> AbstractAsyncContextManager[Body]:
        """The answer to a GET, open for the length of a block."""
        # No ChecksumMode: some stores send the whole object's checksum with a range, and botocore would compare.
        request = self._client.get_object(Bucket=self._options.bucket, Key=key, **condition(if_match), **params)
        return opened(call, request, self._meter)

    async def put_object(self, call: Call, key: str, data: bytes, **params: str) -> str | None:
        """The ETag of what was put, as it came."""
        with translated(call):
            answer = await self._client.put_object(Bucket=self._options.bucket, Key=key, Body=data, **params)
        self._meter.moved(call.operation, sent_bytes=len(data))
        return answer.get("ETag")

    async def delete_object(self, call: Call, key: str) -> None:
        """Done when there is no such object, whether there was one or not."""
        try:
            with translated(call):
                await self._client.delete_object(Bucket=self._options.bucket, Key=key)
        except ObjectMissing:
            pass  # S3 says 204 for a missing key, some stores 404

    async def _check_bucket(self) -> None:
        """A HEAD has no body to say NoSuchBucket in, so a 404 may mean either: ask, now and then.

        Raises BucketMissing; any other answer leaves the 404 to be what it seems.
        """
        now = monotonic()
        if now - self._bucket_seen_at < _BUCKET_STANDS_S:
            return
        call = self.call("HeadBucket")
        try:
            async with self._metered(call):
                await self._head_bucket(call)
        except BucketMissing:
            raise
        except StoreError:
            return
        self._bucket_seen_at = now

    async def _head_bucket(self, call: Call) -> None:
        try:
            with translated(call):
                await self._client.head_bucket(Bucket=self._options.bucket)
        except ObjectMissing:
            raise BucketMissing(f"{call}: there is no such bucket; create it, or correct the bucket's name") from None


def condition(if_match: str) -> dict[str, str]:
    """The parameter that demands an ETag; none when there is none to demand."""
    return {"IfMatch": f'"{if_match}"'} if if_match else {}
