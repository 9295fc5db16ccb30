"""Options, and what they make of the client."""

from datetime import UTC, datetime
from typing import Any

import pytest

from gateway.errors import BucketMissing, ObjectChanged, StoreMisbehaved
from gateway.objects import ByteRange, ObjectHead, ObjectKey, ObjectSlice
from gateway.s3 import S3Options, open_store
from gateway.s3.client import client_config
from gateway.s3.timestamps import read_timestamp
from tests.s3.wire import answering, response
from tests.stores import S3Bucket

KEY = ObjectKey("a/b.txt")


@pytest.mark.parametrize(
    ("options", "style"),
    [
        (S3Options("b"), "auto"),
        (S3Options("b", "http://store:9000"), "path"),
        (S3Options("b", "http://store:9000", addressing_style="virtual"), "virtual"),
        (S3Options("b", addressing_style="path"), "path"),
    ],
)
def test_an_endpoint_of_our_own_is_addressed_by_path_unless_told_otherwise(options: S3Options, style: str) -> None:
    """[ours: bucket names seldom resolve there]"""
    assert client_config(options).s3 == {"addressing_style": style}


def test_times_attempts_and_connections_are_those_of_the_options() -> None:
    """[botocore: max_attempts 1 would be one retry]"""
    options = S3Options("b", connect_timeout_s=1.5, read_timeout_s=2.5, max_concurrency=7, max_attempts=1)
    config: Any = client_config(options)
    assert (config.connect_timeout, config.read_timeout, config.max_pool_connections) == (1.5, 2.5, 7)
    assert config.retries == {"mode": "standard", "total_max_attempts": 1}


@pytest.mark.parametrize(
    "wrong", [{"access_key": "k"}, {"secret_key": "s"}, {"max_concurrency": 0}, {"max_attempts": 0}]
)
def test_options_that_cannot_work_are_refused(wrong: dict[str, Any]) -> None:
    """[ours]"""
    with pytest.raises(ValueError, match=r"both or neither|start at 1"):
        S3Options("b", **wrong)


def test_a_secret_is_not_in_the_text_of_the_options() -> None:
    """[ours]"""
    assert "hush" not in repr(S3Options("b", access_key="key", secret_key="hush"))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Sun, 01 Mar 2026 12:00:00 GMT", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("2026-03-01T12:00:00.000Z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("2026-03-01T12:00:00Z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (1772366400, datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("1772366400", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("1 Mar 2026 12:00 UTC", datetime(2026, 3, 1, 12, tzinfo=UTC)),
    ],
)
def test_dates_are_read_in_each_format_that_s3_sends(text: str | int, moment: datetime) -> None:
    """[RFC 9110 section 5.6.7] [RFC 3339]"""
    assert read_timestamp(text) == moment


async def test_a_header_that_cannot_be_read_is_a_fault_of_the_store() -> None:
    """[ours: botocore's parser raises ValueError]"""
    async with answering(response("200 OK", x_amz_object_size="many")) as wire, open_store(wire.options()) as store:
        with pytest.raises(StoreMisbehaved, match="header"):
            await store.put(KEY, b"hello")


async def test_odd_headers_that_nobody_needs_fail_no_read() -> None:
    """[ours]"""
    odd = {"Last_Modified": "soon", "Expires": "never", "x_amz_mp_parts_count": "many", "x_amz_version_id": ""}
    answer = response("200 OK", b"hello", ETag='"e"', Content_Type="text/plain", **odd)
    async with answering(answer) as wire, open_store(wire.options()) as store:
        assert await store.get(KEY, max_bytes=5) == ObjectSlice(b"hello", ObjectHead(5, "e", "text/plain"))
    answer = response("200 OK", Content_Length="5", ETag='"e"', **odd)
    async with answering(answer) as wire, open_store(wire.options()) as store:
        assert await store.head(KEY) == ObjectHead(5, "e")


async def test_a_request_says_who_makes_it() -> None:
    """[RFC 9110 section 10.1.5]"""
    async with answering(response("200 OK", b"hello")) as wire, open_store(wire.options()) as store:
        await store.get(KEY, max_bytes=5)
    assert "\r\nuser-agent: skills-gateway botocore/" in wire.requests[0].lower()


async def test_requests_are_signed_for_the_region_given_or_for_us_east_1() -> None:
    """[AWS Signature Version 4]"""
    for region, signed in (("eu-west-1", "/eu-west-1/s3/"), (None, "/us-east-1/s3/")):
        async with answering(response("404 Not Found")) as wire, open_store(wire.options(region=region)) as store:
            with pytest.raises(BucketMissing):
                await store.head(KEY)
        assert signed in wire.requests[0]


async def test_checksums_may_be_compared_on_every_call(s3_bucket: S3Bucket) -> None:
    """[botocore when_supported]"""
    async with s3_bucket.open(checksum_mode="when_supported") as store:
        etag = await store.put(KEY, b"hello")
        assert (await store.get(KEY, max_bytes=5, if_match=etag)).data == b"hello"
        assert (await store.get_range(KEY, ByteRange(1, 3))).data == b"el"
        assert (await store.get_range(KEY, ByteRange(9, 10))).data == b""
        await store.put(KEY, b"other")
        with pytest.raises(ObjectChanged):
            await store.get(KEY, max_bytes=5, if_match=etag)
