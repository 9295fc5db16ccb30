"""One answer, as the audit has it: who asked for what, what was sent, and how it ended. Pure.

A line is one JSON object. It never holds a cursor, a token, text of a file or of a frontmatter; what a
client chose itself (a URI, an id, its name) is cut at a bound. Source: RFC 3339 (time); JSON Lines.
"""

from datetime import UTC, datetime
from typing import NamedTuple

import orjson

OK = "ok"
MAX_URI_BYTES = 2048
MAX_TEXT_BYTES = 256
_SAFE_INTEGER = 2**53 - 1


class AuditEvent(NamedTuple):  # made for each request: a frozen dataclass takes four times as long
    """`at_s` is when the request came, in seconds of the epoch; `method` is None for who was not let in.

    `principal` is issuer, client and subject, empty texts for who is anonymous; `client` is the name and the version
    that an MCP client gives itself. `digest` and `size_bytes` are those of the file that was sent, `items` how many a
    list has. `result` is `ok`, or the reason of an error.
    """

    at_s: float
    latency_s: float
    principal: tuple[str, str, str]
    variant: str
    method: str | None
    result: str
    uri: str | None = None
    client: tuple[str, str] | None = None
    digest: str | None = None
    size_bytes: int | None = None
    items: int | None = None
    release: str | None = None
    request_id: int | str | None = None
    """That of JSON-RPC."""
    http_request: str = ""


def as_line(event: AuditEvent) -> bytes:
    """The event as JSON, with a newline behind it."""
    issuer, client, subject = map(_bounded, event.principal)
    principal = {"issuer": issuer, "client": client, "subject": subject} if any(event.principal) else None
    return orjson.dumps(
        {
            "time": datetime.fromtimestamp(event.at_s, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "principal": principal,
            "variant": event.variant,
            "client": _client(event.client),
            "method": event.method,
            "uri": None if event.uri is None else _bounded(event.uri, MAX_URI_BYTES),
            "digest": event.digest,
            "bytes": event.size_bytes,
            "items": event.items,
            "result": event.result,
            "latency_ms": round(event.latency_s * 1000, 3),
            "release": event.release,
            "request_id": _identifier(event.request_id),
            "http_request": event.http_request or None,
        },
        option=orjson.OPT_APPEND_NEWLINE,
    )


def _client(client: tuple[str, str] | None) -> dict[str, str] | None:
    return None if client is None else {"name": _bounded(client[0]), "version": _bounded(client[1])}


def _identifier(identifier: int | str | None) -> int | str | None:
    if isinstance(identifier, int) and abs(identifier) > _SAFE_INTEGER:
        return _bounded(hex(identifier))
    return _bounded(identifier) if isinstance(identifier, str) else identifier


def _bounded(text: str, limit_bytes: int = MAX_TEXT_BYTES) -> str:
    """The text, cut with a mark behind it when it is longer; lone surrogates, which are no text, spelled out."""
    if text.isascii() and len(text) <= limit_bytes:
        return text
    data = text.encode(errors="backslashreplace")
    if len(data) <= limit_bytes:
        return data.decode()
    return data[:limit_bytes].decode(errors="ignore") + "…"
