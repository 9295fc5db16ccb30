"""Answers of a store that are errors: which error of ours, and what its text says."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from gateway import errors
from gateway.objects import ObjectKey
from gateway.s3 import open_store
from gateway.s3.call import Call
from gateway.s3.refusals import RangeUnsatisfiable, refusal_of
from tests.s3.wire import answering, error, response

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
CALL = Call("GetObject", "bucket", "http://store:9000", "a/b.txt", "eu-west-1")


def answer(status: int, code: str, message: str = "", **headers: str) -> dict[str, Any]:
    return {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": headers},
    }


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "NoSuchKey", errors.ObjectMissing),
        (404, "404", errors.ObjectMissing),
        (404, "NoSuchBucket", errors.BucketMissing),
        (412, "PreconditionFailed", errors.ObjectChanged),
        (412, "412", errors.ObjectChanged),
        (409, "ConditionalRequestConflict", errors.ObjectChanged),
        (409, "OperationAborted", errors.StoreError),
        (416, "InvalidRange", RangeUnsatisfiable),
        (416, "416", RangeUnsatisfiable),
        (403, "AccessDenied", errors.AccessDenied),
        (403, "403", errors.AccessDenied),
        (403, "InvalidAccessKeyId", errors.AccessDenied),
        (403, "SignatureDoesNotMatch", errors.AccessDenied),
        (403, "RequestTimeTooSkewed", errors.ClockSkew),
        (403, "InvalidObjectState", errors.ObjectArchived),
        (400, "ExpiredToken", errors.AccessDenied),
        (503, "SlowDown", errors.StoreThrottled),
        (429, "429", errors.StoreThrottled),
        (503, "503", errors.StoreUnavailable),
        (500, "InternalError", errors.StoreUnavailable),
        (400, "RequestTimeout", errors.StoreUnavailable),
        (301, "PermanentRedirect", errors.WrongRegion),
        (307, "TemporaryRedirect", errors.WrongRegion),
        (400, "AuthorizationHeaderMalformed", errors.WrongRegion),
        (400, "IllegalLocationConstraintException", errors.WrongRegion),
        (400, "InvalidRequest", errors.StoreError),
    ],
)
def test_each_answer_has_its_error(status: int, code: str, kind: type[errors.StoreError]) -> None:
    """[S3 Error responses; HEAD has a status and no code]"""
    found = refusal_of(answer(status, code), CALL, NOW)
    assert type(found) is kind
    assert str(found).startswith("GetObject of 'a/b.txt' in bucket 'bucket' at http://store:9000: ")


@pytest.mark.parametrize("code", ["AccessDenied", "SignatureDoesNotMatch", "403"])
def test_a_denial_with_clocks_apart_is_a_clock_skew_with_both_times(code: str) -> None:
    """[S3 RequestTimeTooSkewed] [ours: many stores say no more than denied]"""
    theirs = format_datetime(NOW + timedelta(minutes=6), usegmt=True)
    found = refusal_of(answer(403, code, date=theirs), CALL, NOW)
    assert type(found) is errors.ClockSkew
    assert "clock here says 2026-03-01 12:00:00 UTC" in str(found)
    assert theirs in str(found)


@pytest.mark.parametrize("date", [format_datetime(NOW + timedelta(minutes=4), usegmt=True), "yesterday", ""])
def test_a_denial_with_clocks_together_or_no_date_is_a_denial(date: str) -> None:
    """[ours]"""
    assert type(refusal_of(answer(403, "AccessDenied", date=date), CALL, NOW)) is errors.AccessDenied


def test_a_wrong_region_names_both_regions() -> None:
    """[S3 x-amz-bucket-region]"""
    found = refusal_of(answer(301, "301", **{"x-amz-bucket-region": "us-west-2"}), CALL, NOW)
    assert "'us-west-2'" in str(found)
    assert "'eu-west-1'" in str(found)


def test_a_bad_head_with_a_region_is_a_wrong_region() -> None:
    """[S3: HEAD has no body to say AuthorizationHeaderMalformed in]"""
    found = refusal_of(answer(400, "400", **{"x-amz-bucket-region": "us-west-2"}), CALL, NOW)
    assert type(found) is errors.WrongRegion


@pytest.mark.parametrize("code", ["400", "KeyTooLongError"])
def test_a_key_longer_than_s3_allows_is_one_that_is_not_there(code: str) -> None:
    """[S3: at most 1,024 bytes; a HEAD answers 400 without a body]"""
    call = Call("HeadObject", "bucket", "AWS S3", "é" * 513)
    assert type(refusal_of(answer(400, code), call, NOW)) is errors.ObjectMissing
    assert type(refusal_of(answer(400, code), CALL, NOW)) is errors.StoreError


def test_what_a_store_says_is_quoted_and_cut() -> None:
    """[ours: one line of a log, whatever the store sends]"""
    found = str(refusal_of(answer(400, "Bad\nCode", "line\nbreak " + "x" * 5000), CALL, NOW))
    assert "\n" not in found
    assert len(found) < 500


async def test_a_clock_skew_is_found_on_the_wire() -> None:
    """[ours]"""
    denied = error("403 Forbidden", "AccessDenied", Date="Mon, 01 Jan 2001 00:00:00 GMT")
    async with answering(denied) as wire, open_store(wire.options()) as store:
        with pytest.raises(errors.ClockSkew, match="clock"):
            await store.list_page("")
        with pytest.raises(errors.ClockSkew):
            await store.get(ObjectKey("k"), max_bytes=1)


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Redirect"])
async def test_a_redirect_is_an_error_and_never_followed(status: str) -> None:
    """[ours: aiohttp and aiobotocore would both go to the other host]"""
    async with answering(response("200 OK", b"stolen", ETag='"e"')) as elsewhere:
        moved = {"Location": f"{elsewhere.url}/bucket/k", "x_amz_bucket_region": "us-west-2"}
        async with answering(response(status, **moved)) as wire, open_store(wire.options()) as store:
            for call in (store.get(ObjectKey("k"), max_bytes=9), store.head(ObjectKey("k")), store.list_page("")):
                with pytest.raises(errors.WrongRegion, match="us-west-2"):
                    await call
            assert len(wire.requests) == 3
        assert elsewhere.requests == []


async def test_a_malformed_authorization_names_the_region_and_is_not_repeated_elsewhere() -> None:
    """[S3 AuthorizationHeaderMalformed]"""
    malformed = error("400 Bad Request", "AuthorizationHeaderMalformed", more="<Region>eu-central-1</Region>")
    async with answering(malformed) as wire, open_store(wire.options(region="us-east-1")) as store:
        with pytest.raises(errors.WrongRegion, match=r"eu-central-1.*us-east-1"):
            await store.list_page("")
        assert len(wire.requests) == 1


@pytest.mark.parametrize(
    ("operation", "named"),
    [("PutObject", "(s3:PutObject)"), ("DeleteObject", "(s3:DeleteObject)"), ("HeadObject", "(s3:GetObject, and s3:L")],
)
def test_a_denied_call_names_the_permission_it_needs(operation: str, named: str) -> None:
    """[S3 "Actions, resources, and condition keys"]"""
    call = Call(operation, "bucket", "http://store:9000", "a/b.txt")
    assert f"what they may do {named}" in str(refusal_of(answer(403, "AccessDenied"), call, NOW))
