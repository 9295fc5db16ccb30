"""`skill://` URIs: one strict parser, one canonical printer.

A URI is a tuple of decoded segments; two spellings of the same segments are the same resource, and
only the canonical spelling is ever published. Nothing here normalises: dot segments, empty segments
and odd spellings are refused, never repaired, because a repaired path is how a reader gets out of
its skill. Knows no skill and no store.

Source: SEP-2640, Resource Mapping; RFC 3986 sections 2.1, 3.3.
"""

import re
from urllib.parse import quote, unquote_to_bytes

from gateway.errors import InvalidUri

SCHEME = "skill://"
MAX_URI_BYTES = 2048
_SAFE = "!$&'()*+,;="  # sub-delims; unreserved characters are never quoted by urllib
_UNFIT = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPE_DIGITS = frozenset("0123456789abcdefABCDEF")


def print_uri(segments: tuple[str, ...]) -> str:
    """The canonical URI of decoded segments.

    Everything but RFC 3986 unreserved characters and sub-delims is percent-encoded, upper-case.
    """
    return SCHEME + "/".join(quote(segment, safe=_SAFE) for segment in segments)


def skill_uri(path: str, file_path: str) -> str:
    """The canonical URI of a file of the skill at `path`; both are decoded, `/` between segments."""
    return print_uri((*path.split("/"), *file_path.split("/")))


def parse_uri(uri: str) -> tuple[str, ...]:
    """Decoded segments of a `skill://` URI, at least one.

    Raises InvalidUri for whatever cannot be the URI of a skill, its files or its directories; the
    message names the fault and never repeats a long URI.
    """
    if len(uri) > MAX_URI_BYTES:
        raise InvalidUri(f"The URI has {len(uri)} characters; at most {MAX_URI_BYTES} bytes are served")
    if _SURROGATE.search(uri):
        raise InvalidUri("The URI has a lone surrogate, which has no UTF-8 form")
    if len(uri.encode()) > MAX_URI_BYTES:
        raise InvalidUri(f"The URI has {len(uri.encode())} bytes; at most {MAX_URI_BYTES} are served")
    if uri != uri.strip():
        raise InvalidUri(f"{_shown(uri)} has white space at an end")
    if not uri[: len(SCHEME)].isascii() or uri[: len(SCHEME)].lower() != SCHEME:  # U+212A lowers to 'k'
        raise InvalidUri(f"{_shown(uri)} does not start with {SCHEME}")
    rest = uri[len(SCHEME) :]
    for odd in "?#\\":
        if odd in rest:
            raise InvalidUri(f"{_shown(uri)} has {odd!r}; skill URIs have no query, no fragment and no backslash")
    raw = rest.split("/")
    for odd in "@[]":
        if odd in raw[0]:
            raise InvalidUri(f"{_shown(uri)} has {odd!r} in its first segment; skill URIs carry no user and no host")
    segments = tuple(_decode(segment, uri) for segment in raw)
    for segment in segments:
        if fault := segment_fault(segment):
            raise InvalidUri(f"{_shown(uri)} {fault}")
    return segments


def segment_fault(segment: str) -> str | None:
    """What makes a decoded segment unfit for a URI of ours, as the end of a sentence; None when it is fit."""
    if segment == "":
        return "has an empty segment"
    if segment in (".", ".."):
        return f"has a {segment!r} segment"
    if odd := _UNFIT.search(segment):
        return f"has {odd[0]!r} in a segment (a slash, a backslash, a control character or a lone surrogate)"
    return None


def _decode(segment: str, uri: str) -> str:
    position = segment.find("%")
    if position < 0:
        return segment
    while position >= 0:
        digits = segment[position + 1 : position + 3]
        if len(digits) != 2 or not _ESCAPE_DIGITS.issuperset(digits):
            raise InvalidUri(f"{_shown(uri)} has '%' without two hexadecimal digits after it")
        position = segment.find("%", position + 1)
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        raise InvalidUri(f"{_shown(uri)} percent-encodes bytes that are no UTF-8") from None


def _shown(uri: str) -> str:
    return repr(uri if len(uri) <= 120 else uri[:117] + "...")
