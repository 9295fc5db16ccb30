"""What is counted of a store in trouble: requests sent again, answers that ask for fewer, and those that never come."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from gateway.errors import BucketMissing, ObjectMissing, StoreError, StoreUnavailable
from gateway.local.seaweedfs import LocalServer
from gateway.metrics.exposition import exposed
from gateway.metrics.meters import StoreMeter
from gateway.objects import ObjectKey
from gateway.s3 import S3Options, open_store
from gateway.s3.store import S3Store
from tests.metrics.scrapes import Rows, growth, rows_at
from tests.s3.wire import answering, error, response
from tests.stores import S3Bucket, fresh_bucket

KEY = ObjectKey("k")
WHOLE = response("200 OK", b"complete", ETag='"e"')
HALF = response("200 OK", b"half", Content_Length="8", ETag='"e"')
SLOW_DOWN = error("503 Slow Down", "SlowDown")
BROKEN = error("500 Internal Server Error", "InternalError")
SILENT = b""
COUNTERS = ("s3_calls_total", "s3_retries_total", "s3_throttled_total", "s3_unanswered_total")


@dataclass
class Counted:
    """What each counter grew by while a store was open, whole once it is closed."""

    calls: Rows
    retries: Rows
    throttled: Rows
    unanswered: Rows


@asynccontextmanager
async def counted(options: S3Options, port: int) -> AsyncIterator[tuple[S3Store, Counted]]:
    """A store whose calls are counted, and what a scrape at `port` tells of them."""
    with exposed("127.0.0.1", port, workers=1):
        before = [rows_at(port, name) for name in COUNTERS]
        seen = Counted({}, {}, {}, {})
        async with open_store(options, StoreMeter()) as store:
            yield store, seen
        grown = [growth(then, rows_at(port, name)) for then, name in zip(before, COUNTERS, strict=True)]
        seen.calls, seen.retries, seen.throttled, seen.unanswered = grown


@pytest.mark.parametrize(
    ("answers", "cause", "throttled", "unanswered"),
    [
        ([SLOW_DOWN], "throttled", 1, {}),
        ([BROKEN], "error", 0, {}),
        # aiohttp asks once more by itself when a connection is closed.
        ([SILENT, SILENT], "unanswered", 0, {("GetObject", "closed"): 1}),
    ],
)
async def test_what_botocore_sends_again_is_counted_by_cause(
    answers: list[bytes], cause: str, throttled: int, unanswered: Rows, free_port: int
) -> None:
    """[S3 SlowDown] [botocore retries, standard mode] The call itself is one, and ends well."""
    async with (
        answering(*answers, WHOLE) as wire,
        counted(wire.options(max_attempts=2), free_port) as (store, seen),
    ):
        await store.get(KEY, max_bytes=8)
    assert seen == Counted(
        calls={("GetObject", "ok"): 1},
        retries={(cause, "GetObject"): 1},
        throttled={("GetObject",): throttled} if throttled else {},
        unanswered=unanswered,
    )


async def test_a_body_that_broke_is_a_retry_of_its_own(free_port: int) -> None:
    """[ours: botocore has done with it]"""
    async with (
        answering(HALF, HALF, WHOLE) as wire,
        counted(wire.options(max_attempts=3), free_port) as (store, seen),
    ):
        await store.get(KEY, max_bytes=8)
    assert seen == Counted({("GetObject", "ok"): 1}, {("body", "GetObject"): 2}, {}, {})


async def test_the_last_of_many_refusals_is_no_retry(free_port: int) -> None:
    """[botocore RetryAttempts] Two were sent again, and three asked for fewer."""
    async with (
        answering(SLOW_DOWN) as wire,
        counted(wire.options(max_attempts=3, call_timeout_s=30), free_port) as (store, seen),
    ):
        with pytest.raises(StoreError):
            await store.put(KEY, b"x")
    assert seen == Counted(
        calls={("PutObject", "store_throttled"): 1},
        retries={("throttled", "PutObject"): 2},
        throttled={("PutObject",): 3},
        unanswered={},
    )


@pytest.mark.parametrize(
    ("answer", "bounds", "outcome"),
    [
        (SILENT, {}, "closed"),
        (None, {"read_timeout_s": 0.2}, "timeout"),
        (None, {"call_timeout_s": 0.2}, "deadline"),
    ],
)
async def test_a_call_without_an_answer_says_how_it_ended(
    answer: bytes | None, bounds: dict[str, float], outcome: str, free_port: int
) -> None:
    """[aiohttp ServerDisconnectedError, SocketTimeoutError] [ours: deadline]"""
    async with (
        answering(answer or SILENT, then_stall=answer is None) as wire,
        counted(wire.options(**bounds), free_port) as (store, seen),
    ):
        with pytest.raises(StoreUnavailable):
            await store.list_page("")
    assert seen == Counted({("ListObjectsV2", "store_unavailable"): 1}, {}, {}, {("ListObjectsV2", outcome): 1})


async def test_a_store_that_is_not_there_refuses_each_attempt(free_port: int, unused_port: int) -> None:
    """[ECONNREFUSED]"""
    async with answering(SILENT) as wire:
        options = wire.options(max_attempts=2)
    options = replace(options, endpoint_url=f"http://127.0.0.1:{unused_port}")
    async with counted(options, free_port) as (store, seen):
        with pytest.raises(StoreUnavailable):
            await store.head(KEY)
    assert seen == Counted(
        calls={("HeadObject", "store_unavailable"): 1},
        retries={("unanswered", "HeadObject"): 1},
        throttled={},
        unanswered={("HeadObject", "no_connection"): 2},
    )


async def test_a_store_that_speaks_no_tls_has_an_outcome_of_its_own(
    seaweedfs_server: LocalServer, free_port: int
) -> None:
    """[ssl WRONG_VERSION_NUMBER]"""
    options = fresh_bucket("seaweedfs", seaweedfs_server).options
    assert options
    assert options.endpoint_url
    options = replace(options, endpoint_url=options.endpoint_url.replace("http:", "https:"), max_attempts=1)
    async with counted(options, free_port) as (store, seen):
        with pytest.raises(StoreUnavailable, match="TLS"):
            await store.head(KEY)
    assert seen.unanswered == {("HeadObject", "tls"): 1}


async def test_the_look_at_the_bucket_behind_a_missing_object_is_a_call(s3_bucket: S3Bucket, free_port: int) -> None:
    """[S3 HeadBucket] On every store: once a minute while it is there, and each time while it is not."""
    assert s3_bucket.options
    async with counted(s3_bucket.options, free_port) as (store, seen):
        for _ in range(2):
            with pytest.raises(ObjectMissing):
                await store.head(KEY)
    assert seen == Counted({("HeadObject", "object_missing"): 2, ("HeadBucket", "ok"): 1}, {}, {}, {})
    nowhere = replace(s3_bucket.options, bucket="nobody-made-this-bucket")
    async with counted(nowhere, free_port) as (store, seen):
        with pytest.raises(BucketMissing):
            await store.head(KEY)
    assert seen.calls == {("HeadObject", "bucket_missing"): 1, ("HeadBucket", "bucket_missing"): 1}
