"""Headers of answers, and range requests that stores answer in their own ways."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from gateway.errors import ObjectChanged, StoreMisbehaved
from gateway.local.seaweedfs import LocalServer
from gateway.objects import ByteRange, ObjectHead, ObjectKey, ObjectSlice
from gateway.s3 import open_store
from gateway.s3.answers import RangePlan, plan_range_read, read_head
from gateway.skill.model import digest_of
from tests.s3.wire import answering, response
from tests.stores import S3Bucket, admin_client

KEY = ObjectKey("k")
HEX = sha256(b"0123456789").hexdigest()
CHECKSUM = b64encode(sha256(b"0123456789").digest()).decode()


@pytest.mark.parametrize(
    ("status", "content_range", "content_length", "plan"),
    [
        (200, "bytes 2-4/10", 3, RangePlan(0, 3, 10)),
        (206, "bytes 2-4/10", 3, RangePlan(0, 3, 10)),
        (206, "bytes 2-3/4", 2, RangePlan(0, 2, 4)),
        (206, "bytes 0--1/0", 0, RangePlan(0, 0, 0)),
        (200, None, 10, RangePlan(2, 3, 10)),
        (200, None, 4, RangePlan(2, 2, 4)),
        (200, None, 1, RangePlan(2, 0, 1)),
        (200, None, 0, RangePlan(2, 0, 0)),
        (200, None, None, RangePlan(2, 3, None)),
        (206, None, 3, None),
        (206, "bytes 0-2/10", 3, None),
        (206, "bytes 2-9/10", 8, None),
        (206, "bytes 2-4/*", 3, None),
        (206, "lines 2-4/10", 3, None),
    ],
)
def test_a_range_of_3_bytes_from_2_is_read_from_each_answer(
    status: int, content_range: str | None, content_length: int | None, plan: RangePlan | None
) -> None:
    """[RFC 9110 section 14.4] [ours: MinIO, rclone, proxies]"""
    assert plan_range_read(ByteRange(2, 5), status, content_range, content_length) == plan


@pytest.mark.parametrize(
    ("headers", "is_kept"),
    [
        ({"x-amz-checksum-sha256": CHECKSUM}, True),
        ({"x-amz-checksum-sha256": CHECKSUM, "x-amz-checksum-type": "FULL_OBJECT"}, True),
        ({"x-amz-checksum-sha256": CHECKSUM, "x-amz-checksum-type": "COMPOSITE"}, False),
        ({"x-amz-checksum-sha256": CHECKSUM + "-2"}, False),
        ({"x-amz-checksum-sha256": "AAAA"}, False),
        ({"x-amz-checksum-sha256": "nonsense"}, False),
        ({}, False),
    ],
)
def test_only_a_checksum_of_the_full_object_is_a_digest(headers: dict[str, str], is_kept: bool) -> None:
    """[S3 "Checking object integrity": COMPOSITE hashes the parts' hashes]"""
    assert read_head(headers, 10).sha256 == (digest_of(b"0123456789") if is_kept else None)
    assert read_head(headers, 10, is_whole=False).sha256 is None


@pytest.mark.parametrize(
    ("stated", "is_kept"),
    [
        (HEX, True),
        (HEX.upper(), True),
        (f"sha256:{HEX}", True),
        (f" SHA256:{HEX} ", True),
        (CHECKSUM, True),
        (f"sha256:{CHECKSUM}", True),
        (HEX[:-1], False),
        (HEX[:-1] + "g", False),
        (f"sha512:{HEX}", False),
        (f"sha256:sha256:{HEX}", False),
        (CHECKSUM[:-1], False),
        (CHECKSUM + "-2", False),
        ("é" * 64, False),
        ("", False),
        (None, False),
    ],
)
def test_metadata_that_states_32_bytes_in_hex_or_base64_is_a_claim_and_no_digest(
    stated: str | None, is_kept: bool
) -> None:
    """[S3 user-defined object metadata] [ours: written by hand and by many tools]"""
    headers = {} if stated is None else {"x-amz-meta-sha256": stated}
    head = ObjectHead(10, "", None, None, digest_of(b"0123456789") if is_kept else None)
    assert read_head(headers, 10) == head
    assert read_head(headers, 10, is_whole=False) == head


async def test_a_claim_comes_with_every_read_of_a_real_store(s3_bucket: S3Bucket) -> None:
    """[S3 user-defined object metadata]"""
    options = s3_bucket.options
    assert options is not None
    server = LocalServer(options.endpoint_url or "", options.access_key or "", options.secret_key or "", Path())
    admin_client(server).put_object(Bucket=s3_bucket.name, Key=KEY, Body=b"other", Metadata={"sha256": HEX})
    async with s3_bucket.open() as store:
        heads = [
            await store.head(KEY),
            (await store.get(KEY, max_bytes=5)).head,
            (await store.get_range(KEY, ByteRange(1, 3))).head,
            await store.stream(KEY, bytearray().extend),
        ]
    assert {head.claimed_sha256 for head in heads} == {digest_of(b"0123456789")}
    assert {head.sha256 for head in heads} == {None}


@pytest.mark.parametrize(("sent", "bare"), [('"abc"', "abc"), ("abc", "abc"), ('W/"abc"', "abc"), ("", "")])
def test_an_etag_loses_its_quotes(sent: str, bare: str) -> None:
    """[RFC 9110 section 8.8.3]"""
    assert read_head({"etag": sent}, 0).etag == bare


async def test_a_whole_answer_to_a_range_is_cut_to_it() -> None:
    """[RFC 9110 section 14.2: a server may ignore Range]"""
    whole = response("200 OK", b"0123456789", ETag='"e"', x_amz_checksum_sha256=CHECKSUM)
    async with answering(whole) as wire, open_store(wire.options()) as store:
        assert await store.get_range(KEY, ByteRange(2, 5)) == ObjectSlice(b"234", ObjectHead(10, "e"))
        assert await store.get_range(KEY, ByteRange(20, 30)) == ObjectSlice(b"", ObjectHead(10, "e"))
        covered = await store.get_range(KEY, ByteRange(0, 100))
        assert covered == ObjectSlice(b"0123456789", ObjectHead(10, "e", None, digest_of(b"0123456789")))
    assert "range: bytes=2-4" in wire.requests[0].lower()


async def test_a_range_answered_with_status_200_is_read_by_its_content_range() -> None:
    """[ours: rclone]"""
    answer = response("200 OK", b"234", ETag='"e"', Content_Range="bytes 2-4/10", x_amz_checksum_sha256=CHECKSUM)
    async with answering(answer) as wire, open_store(wire.options()) as store:
        assert await store.get_range(KEY, ByteRange(2, 5)) == ObjectSlice(b"234", ObjectHead(10, "e"))


async def test_another_range_than_asked_for_is_a_fault_of_the_store() -> None:
    """[RFC 9110 section 14.4]"""
    answer = response("206 Partial Content", b"012", Content_Range="bytes 0-2/10")
    async with answering(answer) as wire, open_store(wire.options()) as store:
        with pytest.raises(StoreMisbehaved, match="bytes 0-2/10"):
            await store.get_range(KEY, ByteRange(2, 5))


async def test_a_body_of_unknown_length_is_read_to_its_end() -> None:
    """[RFC 9112 section 7.1]"""
    chunked = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: "e"\r\n\r\n4\r\n0123\r\n0\r\n\r\n'
    async with answering(chunked) as wire, open_store(wire.options()) as store:
        assert await store.get(KEY, max_bytes=4) == ObjectSlice(b"0123", ObjectHead(4, "e"))
        assert await store.stream(KEY, bytearray().extend) == ObjectHead(4, "e")
        assert await store.get_range(KEY, ByteRange(1, 3)) == ObjectSlice(b"12", ObjectHead(4, "e"))
        assert await store.get_range(KEY, ByteRange(9, 12)) == ObjectSlice(b"", ObjectHead(4, "e"))


async def test_a_range_that_is_refused_is_empty_only_if_the_object_is_that_short() -> None:
    """[S3 InvalidRange] [ours: the object may grow between two calls]"""
    refused = response("416 Range Not Satisfiable")
    short = response("200 OK", Content_Length="5", ETag='"e"')
    async with answering(refused, short) as wire, open_store(wire.options()) as store:
        assert await store.get_range(KEY, ByteRange(5, 9)) == ObjectSlice(b"", ObjectHead(5, "e"))
    grown = response("200 OK", Content_Length="6", ETag='"e"')
    async with answering(refused, grown) as wire, open_store(wire.options()) as store:
        with pytest.raises(ObjectChanged):
            await store.get_range(KEY, ByteRange(5, 9))
