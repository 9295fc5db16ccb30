"""Bodies of ListObjectsV2 answers that are odd, and what is refused."""

import pytest

from gateway.errors import StoreMisbehaved, StoreUnavailable
from gateway.objects import ListedObject, ListPage, ObjectKey
from gateway.s3 import open_store
from gateway.s3.listing import ListingError
from tests.s3.steps import read_listing
from tests.s3.wire import answering, response

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


def body(inner: str, namespace: str = NAMESPACE) -> bytes:
    return f"<?xml version='1.0'?><ListBucketResult xmlns='{namespace}'>{inner}</ListBucketResult>".encode()


def contents(key: str = "k", size: str = "1", etag: str = "&quot;e&quot;") -> str:
    return f"<Contents><Key>{key}</Key><Size>{size}</Size><ETag>{etag}</ETag></Contents>"


def test_a_page_is_read_with_and_without_a_namespace() -> None:
    """[S3 ListObjectsV2] [ours: some stores send none]"""
    inner = (
        "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
        + contents("a", "5")
        + contents("b", "0", "e")
        + "<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>"
    )
    page = ListPage((ListedObject(ObjectKey("a"), 5, "e"), ListedObject(ObjectKey("b"), 0, "e")), ("c/",), "t")
    assert read_listing(body(inner)) == page
    assert read_listing(body(inner, "")) == page


@pytest.mark.parametrize(
    ("sent", "key"),
    [("a%20b%2Bc", "a b+c"), ("a+b", "a b"), ("%E2%82%AC", "€"), ("%25", "%"), ("nl%0A", "nl\n"), ("x%FF", "x\udcff")],
)
def test_encoded_keys_are_decoded_and_a_key_that_is_no_utf8_hides_no_other(sent: str, key: str) -> None:
    """[S3 EncodingType] [ours: blanks come as + or %20]"""
    page = read_listing(body("<EncodingType>url</EncodingType>" + contents(sent) + contents("other")))
    assert [item.key for item in page.objects] == [key, "other"]


def test_keys_of_a_store_that_does_not_encode_are_kept() -> None:
    """[ours]"""
    assert read_listing(body(contents("a+b%20"))).objects[0].key == "a+b%20"


def test_a_phantom_key_is_handed_on() -> None:
    """[ours: SeaweedFS lists an emptied directory for a minute]"""
    assert read_listing(body(contents("d/", "0", ""))).objects == (ListedObject(ObjectKey("d/"), 0, ""),)


def test_an_empty_page_may_be_truncated_and_the_last_may_carry_a_token() -> None:
    """[S3 ListObjectsV2]"""
    token = "<NextContinuationToken>t</NextContinuationToken>"
    assert read_listing(body("<IsTruncated>true</IsTruncated>" + token)) == ListPage((), (), "t")
    assert read_listing(body("<IsTruncated>false</IsTruncated>" + token)) == ListPage(())
    assert read_listing(body("")) == ListPage(())


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (b"", "no XML"),
        (b"<html>", "no XML"),
        (b"<html></html>", "<html>"),
        (body("<Contents><Key>\x01</Key></Contents>"), "no XML"),
        (body(contents())[:-10], "no XML"),
        (body("<IsTruncated>true</IsTruncated>"), "no NextContinuationToken"),
        (body("<IsTruncated>true</IsTruncated><NextContinuationToken/>"), "no NextContinuationToken"),
        (body("<Contents><Size>1</Size></Contents>"), "without Key"),
        (body("<Contents><Key/><Size>1</Size></Contents>"), "without Key"),
        (body("<Contents><Key>k</Key></Contents>"), "Size ''"),
        (body(contents(size="-1")), "Size '-1'"),
        (body(contents(size="1e3")), "Size '1e3'"),
        (body("<CommonPrefixes/>"), "without Prefix"),
    ],
)
def test_a_body_one_cannot_go_on_from_is_refused(sent: bytes, fault: str) -> None:
    """[ours: going on could lose or repeat keys]"""
    with pytest.raises(ListingError, match=fault):
        read_listing(sent)


def test_entities_that_grow_without_bound_are_refused() -> None:
    """[ours: expat's amplification limit]"""
    entities = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 12))
    bomb = f"<!DOCTYPE x [<!ENTITY e0 '{'x' * 100}'>{entities}]><ListBucketResult>&e11;</ListBucketResult>"
    with pytest.raises(ListingError, match="no XML"):
        read_listing(bomb.encode())


async def test_a_web_page_instead_of_a_listing_is_a_fault_of_the_store() -> None:
    """[ours: an endpoint that is no S3]"""
    async with answering(response("200 OK", b"<html></html>")) as wire, open_store(wire.options()) as store:
        with pytest.raises(StoreMisbehaved, match=r"with prefix 'p/'.*<html>"):
            await store.list_page("p/")


async def test_an_error_inside_a_200_is_unavailable() -> None:
    """[S3: an error may come after the status was sent]"""
    sent = response("200 OK", b"<Error><Code>InternalError</Code><Message>No.</Message></Error>")
    async with answering(sent) as wire, open_store(wire.options()) as store:
        with pytest.raises(StoreUnavailable):
            await store.list_page("")


async def test_a_listing_asks_for_its_page_size_and_never_for_a_key_to_start_after() -> None:
    """[ours: StartAfter loses keys on five stores]"""
    async with answering(response("200 OK", body(""))) as wire, open_store(wire.options()) as store:
        await store.list_page("p/", token="t/1", max_keys=7, by_directory=True)
    query = wire.requests[0].split(" ")[1].partition("?")[2].split("&")
    assert sorted(query) == [
        "continuation-token=t%2F1",
        "delimiter=%2F",
        "encoding-type=url",
        "list-type=2",
        "max-keys=7",
        "prefix=p%2F",
    ]
