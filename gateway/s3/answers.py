"""Headers of HeadObject and GetObject answers, read into values.

Pure. Stores differ in what they send for ranges: 206 as they should, 200 with a Content-Range
(rclone), 200 with the whole object (proxies), `bytes 0--1/0` for an empty one (MinIO).
Source: RFC 9110 sections 14.4, 8.8.3; S3 user guide, "Checking object integrity".
"""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from gateway.objects import ByteRange, ObjectHead
from gateway.s3.listing import bare_etag
from gateway.skill.model import Digest

_CONTENT_RANGE = re.compile(r"bytes (\d+)-(-?\d+)/(\d+)")
_HEX_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_SHA256_BYTES = 32
PARTIAL_CONTENT = 206


@dataclass(frozen=True, slots=True)
class RangePlan:
    """How to read the body of an answer to a range request.

    Drop `skip` bytes, keep `take`; `size` is the whole object's, None when the answer does not say.
    """

    skip: int
    take: int
    size: int | None


def plan_range_read(
    span: ByteRange, status: int, content_range: str | None, content_length: int | None
) -> RangePlan | None:
    """How to read the answer to a request for `span`; None when the answer is for another range.

    A 200 without Content-Range is the whole object; a 206 without it could be anything.
    """
    if content_range is None:
        return None if status == PARTIAL_CONTENT else _cut(span, content_length)
    found = _CONTENT_RANGE.fullmatch(content_range.strip())
    if found is None:
        return None
    first, last, size = (int(text) for text in found.groups())
    if first != span.start and size > 0:
        return None
    plan = RangePlan(0, max(0, min(span.stop, size) - span.start), size)
    return plan if size == 0 or last - first + 1 == plan.take else None


def _cut(span: ByteRange, size: int | None) -> RangePlan:
    stop = span.stop if size is None else min(span.stop, size)
    return RangePlan(span.start, max(0, stop - span.start), size)


def read_head(headers: Mapping[str, str], size: int, *, is_whole: bool = True) -> ObjectHead:
    """The head in the headers of an answer. `is_whole`: its checksum, if any, is for the whole object."""
    return ObjectHead(
        size=size,
        etag=bare_etag(headers.get("etag")),
        media_type=headers.get("content-type") or None,
        sha256=_full_object_sha256(headers) if is_whole else None,
        claimed_sha256=read_claim(headers.get("x-amz-meta-sha256")),
        modified_at=_posix(headers.get("last-modified")),
    )


def read_claim(text: str | None) -> Digest | None:
    """The digest that user metadata states: 32 bytes in hex or base64, with or without `sha256:` in front.

    None for anything else. Whoever stored the object wrote it, and no store compares it with the bytes.
    """
    value = (text or "").strip()
    if value[:7].lower() == "sha256:":
        value = value[7:]
    if _HEX_SHA256.fullmatch(value):
        return Digest(f"sha256:{value.lower()}")
    return _base64_sha256(value)


def content_length(headers: Mapping[str, str]) -> int | None:
    """Content-Length in bytes; None when there is none, as with a chunked body."""
    text = headers.get("content-length", "").strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _posix(http_date: str | None) -> float | None:
    """Seconds of an HTTP date; None for what is none. Source: RFC 9110 section 5.6.7."""
    try:
        return parsedate_to_datetime(http_date or "").timestamp()
    except (ValueError, OverflowError):
        return None


def _full_object_sha256(headers: Mapping[str, str]) -> Digest | None:
    # COMPOSITE is a hash of the parts' hashes; stores that send no type mark it with a `-N` at the end.
    value = headers.get("x-amz-checksum-sha256", "")
    if not value or headers.get("x-amz-checksum-type", "FULL_OBJECT").upper() != "FULL_OBJECT":
        return None
    return _base64_sha256(value)


def _base64_sha256(value: str) -> Digest | None:
    try:
        raw = b64decode(value, validate=True)
    except (Base64Error, ValueError):
        return None
    return Digest(f"sha256:{raw.hex()}") if len(raw) == _SHA256_BYTES else None
