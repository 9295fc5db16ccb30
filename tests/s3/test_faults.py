"""What goes wrong on the wire becomes an error of ours, in time, and costs no connection."""

import asyncio
from contextlib import suppress
from itertools import cycle, islice

import pytest

from gateway.errors import (
    AccessDenied,
    BucketMissing,
    ObjectMissing,
    ObjectTooLarge,
    StoreThrottled,
    StoreUnavailable,
)
from gateway.local.process import free_ports
from gateway.objects import ByteRange, ObjectKey
from gateway.s3 import S3Options, open_store
from tests.s3.wire import answering, error, response
from tests.stores import S3Bucket

KEY = ObjectKey("a/b.txt")
HALF = response("200 OK", b"half", Content_Length="8", ETag='"e"')
HALF_OF_A_RANGE = response("206 Partial Content", b"half", Content_Length="8", Content_Range="bytes 0-7/8")


@pytest.mark.parametrize("bound", [{"call_timeout_s": 0.3}, {"read_timeout_s": 0.3}])
async def test_a_store_that_never_answers_is_unavailable_within_the_deadline(bound: dict[str, float]) -> None:
    """[ours]"""
    async with answering(b"", then_stall=True) as wire, open_store(wire.options(**bound)) as store:
        started = asyncio.get_running_loop().time()
        with pytest.raises(StoreUnavailable):
            await store.head(KEY)
        assert asyncio.get_running_loop().time() - started < 3


async def test_a_put_that_is_never_told_to_continue_is_unavailable_within_the_deadline() -> None:
    """[aiohttp: no read timeout while it waits for 100 Continue]"""
    bound = {"call_timeout_s": 0.3, "read_timeout_s": 60.0}
    async with answering(b"", then_stall=True) as wire, open_store(wire.options(**bound)) as store:
        with pytest.raises(StoreUnavailable, match=r"within 0\.3 s"):
            await store.put(KEY, b"data")


@pytest.mark.parametrize("then_stall", [True, False])
async def test_a_body_that_stops_half_way_is_unavailable(then_stall: bool) -> None:
    """[aiohttp ClientPayloadError, SocketTimeoutError]"""
    got = bytearray()
    wires = answering(HALF, HALF, HALF_OF_A_RANGE, then_stall=then_stall)
    async with wires as wire, open_store(wire.options(call_timeout_s=0.5)) as store:
        with pytest.raises(StoreUnavailable):
            await store.get(KEY, max_bytes=100)
        with pytest.raises(StoreUnavailable):
            await store.stream(KEY, got.extend)
        with pytest.raises(StoreUnavailable):
            await store.get_range(KEY, ByteRange(0, 8))
    assert got == b"half"


async def test_slow_down_is_throttling_and_is_tried_again_as_often_as_allowed() -> None:
    """[S3 SlowDown]"""
    async with answering(error("503 Slow Down", "SlowDown")) as wire:
        async with open_store(wire.options(max_attempts=2)) as store:
            with pytest.raises(StoreThrottled, match="fewer requests"):
                await store.list_page("")
        assert len(wire.requests) == 2


async def test_what_is_temporarily_wrong_is_tried_again_inside_the_call() -> None:
    """[botocore retries, standard mode]"""
    wires = answering(error("500 Internal Server Error", "InternalError"), response("200 OK", b"hello", ETag='"e"'))
    async with wires as wire, open_store(wire.options(max_attempts=2)) as store:
        assert (await store.get(KEY, max_bytes=5)).data == b"hello"


async def test_a_refused_connection_is_unavailable_and_names_the_endpoint() -> None:
    """[ours]"""
    url = f"http://127.0.0.1:{free_ports(1)[0]}"
    options = S3Options("bucket", url, access_key="key", secret_key="secret", max_attempts=1)
    async with open_store(options) as store:
        with pytest.raises(StoreUnavailable) as caught:
            await store.list_page("")
    assert url in str(caught.value)
    assert "'bucket'" in str(caught.value)


async def test_an_error_of_the_sink_leaves_stream_as_it_is() -> None:
    """[ours: a full disk is no fault of the store]"""

    def full(chunk: bytes) -> None:
        raise OSError(28, "No space left on device")

    async with answering(response("200 OK", b"hello", ETag='"e"')) as wire, open_store(wire.options()) as store:
        with pytest.raises(OSError, match="No space left"):
            await store.stream(KEY, full)


async def test_a_cancelled_call_gives_its_place_back(s3_bucket: S3Bucket) -> None:
    """[ours]"""
    await s3_bucket.put(KEY, b"x" * 8_000_000)
    async with s3_bucket.open(max_concurrency=1) as store:
        started = asyncio.Event()
        task = asyncio.create_task(store.stream(KEY, lambda chunk: started.set()))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await store.head(KEY)).size == 8_000_000


async def test_many_calls_through_few_connections_hang_nowhere(s3_bucket: S3Bucket) -> None:
    """[ours: a body that stays open keeps its connection for ever]"""
    await s3_bucket.put(KEY, b"x" * 300_000)
    missing = ObjectKey("missing")
    async with s3_bucket.open(max_concurrency=2) as store:

        async def call(number: int) -> str:
            with suppress(ObjectTooLarge, ObjectMissing):
                match number % 5:
                    case 0:
                        await store.get(KEY, max_bytes=10)
                    case 1:
                        await store.get(missing, max_bytes=10)
                    case 2:
                        await store.get_range(KEY, ByteRange(400_000, 400_001))
                        return "empty"
                    case 3:
                        await store.stream(missing, bytearray().extend)
                    case _:
                        await store.get_range(KEY, ByteRange(5, 10))
                        return "slice"
            return "refused"

        async with asyncio.timeout(60):
            ends = await asyncio.gather(*(call(number) for number in range(200)))
    assert ends == list(islice(cycle(["refused", "refused", "empty", "refused", "slice"]), 200))


@pytest.mark.parametrize("changes", [{"secret_key": "not-the-secret"}, {"access_key": "nobody"}])
async def test_wrong_credentials_are_denied_and_not_repeated(s3_bucket: S3Bucket, changes: dict[str, str]) -> None:
    """[S3 SignatureDoesNotMatch, InvalidAccessKeyId] [ours: moto checks none]"""
    await s3_bucket.put(KEY, b"x")
    async with s3_bucket.open(**changes) as store:
        if s3_bucket.kind == "moto":
            assert (await store.head(KEY)).size == 1
            return
        for call in (store.list_page(""), store.head(KEY), store.get(KEY, max_bytes=9), store.put(KEY, b"")):
            with pytest.raises(AccessDenied, match="credentials") as caught:
                await call
            assert caught.value.reason == "access_denied"
            assert "not-the-secret" not in str(caught.value)


async def test_a_missing_bucket_is_named(s3_bucket: S3Bucket) -> None:
    """[S3 NoSuchBucket] [ours: a HEAD says 404 and no more, so the bucket is asked for]"""
    async with s3_bucket.open(bucket="no-such-bucket-here") as store:
        for call in (store.list_page(""), store.get(KEY, max_bytes=9), store.put(KEY, b""), store.head(KEY)):
            with pytest.raises(BucketMissing, match="'no-such-bucket-here'"):
                await call
    async with s3_bucket.open() as store:
        with pytest.raises(ObjectMissing):
            await store.head(KEY)


async def test_no_credentials_at_all_are_found_at_opening() -> None:
    """[ours]"""
    with pytest.raises(AccessDenied, match="AWS_ACCESS_KEY_ID"):
        async with open_store(S3Options("bucket", "http://127.0.0.1:9")):
            pass
