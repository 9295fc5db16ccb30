"""The port of `gateway.objects`, kept by every store there is: reading and writing objects."""

import time
from hashlib import sha256

import pytest

from gateway.errors import ObjectChanged, ObjectMissing, ObjectTooLarge
from gateway.objects import ByteRange, ListedObject, ObjectHead, ObjectKey
from gateway.skill.model import digest_of
from tests.stores import Bucket

KEY = ObjectKey("a/b.txt")

KEEPS_NO_CHECKSUM = {"juicefs"}
"""MinIO's code of 2021 knows no checksums."""

IGNORES_WRITE_CONDITIONS = {"juicefs"}
"""It takes no If-Match and no If-None-Match on a PUT either, and overwrites."""


async def test_an_object_is_listed_and_read_back_as_it_was_put(bucket: Bucket) -> None:
    """[S3 PutObject, ListObjectsV2, HeadObject, GetObject]"""
    await bucket.put(KEY, b"hello", "text/x-test")
    async with bucket.open() as store:
        page = await store.list_page("a/")
        head = await store.head(KEY)
        whole = await store.get(KEY, max_bytes=5)
    assert page.objects == (ListedObject(KEY, 5, head.etag),)
    assert (page.prefixes, page.next_token) == ((), None)
    assert head == ObjectHead(5, head.etag, "text/x-test")
    assert '"' not in head.etag
    assert head.etag
    assert (whole.data, whole.head) == (b"hello", head)


async def test_a_range_is_cut_at_the_end_of_the_object(bucket: Bucket) -> None:
    """[RFC 9110 section 14.1.2] [ours: past the end is empty]"""
    spans = [(0, 1), (0, 10), (2, 5), (9, 10), (7, 99), (0, 8192), (10, 11), (50, 60)]
    await bucket.put(KEY, b"0123456789")
    async with bucket.open() as store:
        head = await store.head(KEY)
        found = {span: await store.get_range(KEY, ByteRange(*span)) for span in spans}
    assert {span: part.data for span, part in found.items()} == {
        (start, stop): b"0123456789"[start:stop] for start, stop in spans
    }
    assert {(part.head.size, part.head.etag) for part in found.values()} == {(10, head.etag)}


async def test_any_range_of_an_empty_object_is_empty(bucket: Bucket) -> None:
    """[S3: 416, 206 with `bytes 0--1/0`, or 200, by store]"""
    await bucket.put(KEY, b"", "text/x-test")
    async with bucket.open() as store:
        found = [await store.get_range(KEY, ByteRange(*span)) for span in ((0, 1), (0, 8192), (3, 4))]
        whole = await store.get(KEY, max_bytes=0)
    assert {(part.data, part.head.size, part.head.media_type) for part in found} == {(b"", 0, "text/x-test")}
    assert (whole.data, whole.head.size) == (b"", 0)


async def test_a_missing_object_is_missing_in_every_call(bucket: Bucket) -> None:
    """[S3 NoSuchKey, and 404 without a body for HEAD]"""
    async with bucket.open() as store:
        with pytest.raises(ObjectMissing):
            await store.head(KEY)
        with pytest.raises(ObjectMissing):
            await store.get(KEY, max_bytes=9)
        with pytest.raises(ObjectMissing):
            await store.get_range(KEY, ByteRange(0, 9))
        with pytest.raises(ObjectMissing):
            await store.stream(KEY, bytearray().extend)


async def test_an_object_larger_than_the_bound_is_refused(bucket: Bucket) -> None:
    """[ours]"""
    await bucket.put(KEY, b"hello")
    async with bucket.open() as store:
        with pytest.raises(ObjectTooLarge):
            await store.get(KEY, max_bytes=4)
        assert (await store.get(KEY, max_bytes=5)).data == b"hello"


async def test_the_etag_of_a_listing_holds_as_a_condition_until_the_object_changes(bucket: Bucket) -> None:
    """[RFC 9110 section 13.1.1] [S3 GetObject If-Match]"""
    await bucket.put(KEY, b"old")
    async with bucket.open() as store:
        etag = (await store.list_page("")).objects[0].etag
        assert (await store.get(KEY, max_bytes=9, if_match=etag)).data == b"old"
        assert (await store.get_range(KEY, ByteRange(1, 9), if_match=etag)).data == b"ld"
        assert (await store.stream(KEY, bytearray().extend, if_match=etag)).size == 3
        await bucket.put(KEY, b"new!")
        with pytest.raises(ObjectChanged):
            await store.get(KEY, max_bytes=9, if_match=etag)
        with pytest.raises(ObjectChanged):
            await store.get_range(KEY, ByteRange(0, 1), if_match=etag)
        with pytest.raises(ObjectChanged):
            await store.stream(KEY, bytearray().extend, if_match=etag)


async def test_a_range_past_the_end_still_holds_its_condition(bucket: Bucket) -> None:
    """[ours: a 416 is asked after with the same If-Match]"""
    await bucket.put(KEY, b"old")
    async with bucket.open() as store:
        etag = (await store.head(KEY)).etag
        await bucket.put(KEY, b"new")
        with pytest.raises(ObjectChanged):
            await store.get_range(KEY, ByteRange(5, 9), if_match=etag)


async def test_a_large_object_is_streamed_in_order_and_in_pieces(bucket: Bucket) -> None:
    """[ours]"""
    data = b"".join(number.to_bytes(4, "big") for number in range(1_500_000))
    pieces: list[int] = []
    seen = sha256()

    def sink(chunk: bytes) -> None:
        pieces.append(len(chunk))
        seen.update(chunk)

    async with bucket.open() as store:
        etag = await store.put(KEY, data)
        head = await store.stream(KEY, sink)
        tail = await store.get_range(KEY, ByteRange(len(data) - 4, len(data) + 4))
    assert (head.size, head.etag) == (len(data), etag)
    assert seen.hexdigest() == sha256(data).hexdigest()
    assert len(pieces) > 1
    assert tail.data == data[-4:]


async def test_a_put_stores_the_sha256_of_the_whole_object(bucket: Bucket) -> None:
    """[S3 "Checking object integrity"]"""
    async with bucket.open() as store:
        etag = await store.put(KEY, b"hello", media_type="text/x-test")
        head = await store.head(KEY)
    digest = None if bucket.kind in KEEPS_NO_CHECKSUM else digest_of(b"hello")
    assert head == ObjectHead(5, etag, "text/x-test", digest)


async def test_an_object_that_was_deleted_is_gone_and_may_be_deleted_again(bucket: Bucket) -> None:
    """[S3 DeleteObject: 204 whether there was one or not]"""
    async with bucket.open() as store:
        for key in (KEY, ObjectKey("a/other.txt")):
            await store.put(key, b"hello")
        for _ in range(2):
            await store.delete(KEY)
            with pytest.raises(ObjectMissing):
                await store.head(KEY)
        assert [listed.key for listed in (await store.list_page("a/")).objects] == ["a/other.txt"]


async def test_an_object_is_dated_when_it_is_written_also_when_it_is_written_again(bucket: Bucket) -> None:
    """[RFC 9110 section 8.8.2: whole seconds, which a store may round either way]"""
    async with bucket.open() as store:
        before = time.time()
        await store.put(KEY, b"hello")
        await store.put(KEY, b"hello")
        dates = [(await store.head(KEY)).modified_at, (await store.get(KEY, max_bytes=9)).head.modified_at]
    assert all(date is not None and before - 1 <= date <= time.time() + 1 for date in dates), dates


async def test_an_object_put_without_a_checksum_has_none(bucket: Bucket) -> None:
    """[S3]"""
    await bucket.put(KEY, b"hello", checksum=False)
    await bucket.put("with", b"hello", checksum=True)
    async with bucket.open() as store:
        assert (await store.head(KEY)).sha256 is None
        with_checksum = (await store.head(ObjectKey("with"))).sha256
    assert with_checksum == (None if bucket.kind in KEEPS_NO_CHECKSUM else digest_of(b"hello"))


async def test_a_conditional_put_is_refused_when_its_condition_does_not_hold(bucket: Bucket) -> None:
    """[S3 "Conditional writes"]"""
    if bucket.kind in IGNORES_WRITE_CONDITIONS:
        await _assert_conditions_are_ignored(bucket)
        return
    async with bucket.open() as store:
        with pytest.raises(ObjectChanged):
            await store.put(KEY, b"0", if_match="0123456789abcdef0123456789abcdef")
        first = await store.put(KEY, b"1", if_absent=True)
        with pytest.raises(ObjectChanged):
            await store.put(KEY, b"2", if_absent=True)
        second = await store.put(KEY, b"3", if_match=first)
        with pytest.raises(ObjectChanged):
            await store.put(KEY, b"4", if_match=first)
        found = await store.get(KEY, max_bytes=9)
    assert (found.data, found.head.etag) == (b"3", second)


async def _assert_conditions_are_ignored(bucket: Bucket) -> None:
    async with bucket.open() as store:
        await store.put(KEY, b"1")
        await store.put(KEY, b"2", if_absent=True)
        await store.put(KEY, b"3", if_match="0123456789abcdef0123456789abcdef")
        assert (await store.get(KEY, max_bytes=9)).data == b"3"
