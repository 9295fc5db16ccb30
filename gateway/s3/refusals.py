"""Answers of the store that are errors, as errors of ours.

Pure: the one table from S3's codes and statuses to `gateway.errors`. Texts name the operation, the
key, the bucket and the endpoint, what the store said and what to do; never a credential, never
bytes of an object. Source: S3 API reference, Error responses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from gateway import errors
from gateway.s3.call import Call, quoted


class RangeUnsatisfiable(errors.StoreError):
    """The range starts at or past the object's end; only this room sees it."""


MAX_KEY_BYTES = 1024
"""What S3 allows a key, in UTF-8; some stores allow more."""

MAX_CLOCK_DIFFERENCE = timedelta(minutes=5)
"""S3 refuses from 15 minutes on, other stores sooner."""

SERVICE_UNAVAILABLE = 503

_BY_CODE: Mapping[str, type[errors.StoreError]] = {
    "NoSuchKey": errors.ObjectMissing,
    "NotFound": errors.ObjectMissing,
    "NoSuchBucket": errors.BucketMissing,
    "PreconditionFailed": errors.ObjectChanged,
    "ConditionalRequestConflict": errors.ObjectChanged,
    "SlowDown": errors.StoreThrottled,
    "SlowDownRead": errors.StoreThrottled,
    "SlowDownWrite": errors.StoreThrottled,
    "Throttling": errors.StoreThrottled,
    "ThrottlingException": errors.StoreThrottled,
    "TooManyRequests": errors.StoreThrottled,
    "TooManyRequestsException": errors.StoreThrottled,
    "RequestLimitExceeded": errors.StoreThrottled,
    "RequestThrottled": errors.StoreThrottled,
    "BandwidthLimitExceeded": errors.StoreThrottled,
    "RequestTimeout": errors.StoreUnavailable,
    "RequestTimeTooSkewed": errors.ClockSkew,
    "PermanentRedirect": errors.WrongRegion,
    "TemporaryRedirect": errors.WrongRegion,
    "IncorrectEndpoint": errors.WrongRegion,
    "AuthorizationHeaderMalformed": errors.WrongRegion,
    "IllegalLocationConstraintException": errors.WrongRegion,
    "ExpiredToken": errors.AccessDenied,
    "InvalidToken": errors.AccessDenied,
    "TokenRefreshRequired": errors.AccessDenied,
    "InvalidObjectState": errors.ObjectArchived,
    "InvalidRange": RangeUnsatisfiable,
}

_BY_STATUS: Mapping[int, type[errors.StoreError]] = {
    301: errors.WrongRegion,
    302: errors.WrongRegion,
    307: errors.WrongRegion,
    308: errors.WrongRegion,
    401: errors.AccessDenied,
    403: errors.AccessDenied,
    404: errors.ObjectMissing,
    412: errors.ObjectChanged,
    416: RangeUnsatisfiable,
    429: errors.StoreThrottled,
}

_ADVICE: Mapping[type[errors.StoreError], str] = {
    errors.BucketMissing: "create it, or correct the bucket's name",
    errors.WrongRegion: "set the bucket's own region and endpoint; redirects are not followed",
    errors.ObjectArchived: "restore the object, and keep lifecycle rules off this prefix",
    errors.StoreThrottled: "the store asks for fewer requests",
    errors.StoreUnavailable: "the store, or what is in front of it, fails; try again later",
}

_READING = "s3:GetObject, and s3:ListBucket, without which S3 denies access to a missing key too"
_WRITING: Mapping[str, str] = {"PutObject": "s3:PutObject", "DeleteObject": "s3:DeleteObject"}


def refusal_of(response: Mapping[str, Any], call: Call, now: datetime) -> errors.StoreError:
    """The error of ours for an answer of the store that is an error. Pure."""
    error = _refusal_of(response, call, now)
    error.key = call.key
    return error


def _refusal_of(response: Mapping[str, Any], call: Call, now: datetime) -> errors.StoreError:
    refusal = _Refusal.read(response)
    kind = refusal.kind
    if refusal.status == 400 and call.key is not None and len(call.key.encode()) > MAX_KEY_BYTES:
        kind = errors.ObjectMissing  # KeyTooLongError, which a HEAD has no body to say: no object can have this key
    if kind is errors.AccessDenied and refusal.differs_from(now):
        kind = errors.ClockSkew
    if kind is errors.ClockSkew:
        return errors.ClockSkew(
            f"{call}: {refusal}; the clock here says {now:%Y-%m-%d %H:%M:%S} UTC, the store's says "
            f"{refusal.date_text}; set the clock here right (NTP)"
        )
    if kind is errors.WrongRegion:
        return errors.WrongRegion(f"{call}: {refusal}; {_regions(refusal, call)}; {_ADVICE[kind]}")
    advice = _ADVICE.get(kind)
    if kind is errors.AccessDenied:
        advice = f"check the credentials and what they may do ({_WRITING.get(call.operation, _READING)})"
    return kind(f"{call}: {refusal}" + (f"; {advice}" if advice else ""))


def asks_for_less(response: Mapping[str, Any]) -> bool:
    """Whether an answer of the store that is an error asks for fewer requests. Pure.

    Every 503 does: S3 sends it for SlowDown and for ServiceUnavailable, a HEAD has no body to say which, and
    what is in front of a store sends it when the store cannot keep up.
    """
    refusal = _Refusal.read(response)
    return refusal.status == SERVICE_UNAVAILABLE or refusal.kind is errors.StoreThrottled


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An error answer of the store, read."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str]
    region: str

    @classmethod
    def read(cls, response: Mapping[str, Any]) -> "_Refusal":
        error: Mapping[str, Any] = response.get("Error") or {}
        metadata: Mapping[str, Any] = response.get("ResponseMetadata") or {}
        headers: Mapping[str, str] = metadata.get("HTTPHeaders") or {}
        return cls(
            status=int(metadata.get("HTTPStatusCode") or 0),
            code=str(error.get("Code") or ""),
            message=str(error.get("Message") or ""),
            headers=headers,
            region=str(headers.get("x-amz-bucket-region") or error.get("Region") or ""),
        )

    @property
    def kind(self) -> type[errors.StoreError]:
        if self.code in _BY_CODE:
            return _BY_CODE[self.code]
        if self.status == 400 and self.region:
            return errors.WrongRegion  # a HEAD has no body to say AuthorizationHeaderMalformed in
        if self.status >= 500:
            return errors.StoreUnavailable
        return _BY_STATUS.get(self.status, errors.StoreError)

    @property
    def date_text(self) -> str:
        return self.headers.get("date", "something else")

    def differs_from(self, now: datetime) -> bool:
        try:
            return abs(parsedate_to_datetime(self.headers.get("date", "")) - now) > MAX_CLOCK_DIFFERENCE
        except (ValueError, TypeError):
            return False  # no date, or one without a zone

    def __str__(self) -> str:
        code = "" if self.code == str(self.status) else f" {_plain(self.code)}"
        message = f" ({quoted(self.message)})" if self.message else ""
        return f"the store answered {self.status}{code}{message}"


def _regions(refusal: _Refusal, call: Call) -> str:
    theirs = f"the bucket is in region {quoted(refusal.region)}" if refusal.region else "the store names no region"
    return f"{theirs}, requests are signed for {call.region or 'the default one'!r}"


def _plain(code: str) -> str:
    return code[:60] if code.isascii() and code.isprintable() else quoted(code)
