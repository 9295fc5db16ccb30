"""Headers against body: a request of the modern revision must say so in its header.

The SDK tells the eras apart by the `MCP-Protocol-Version` header alone, so a modern request that lost
the header would be answered as one of 2025-03-26, by rules its sender did not ask for. It is refused
instead.

Source: MCP 2026-07-28, Streamable HTTP (`-32020` header mismatch).
"""

import json
from typing import Any, cast

from starlette.responses import Response

from gateway.web.body import UNREAD, Body

_META_KEY = "io.modelcontextprotocol/protocolVersion"
_TRACE = b"protocolVersion"
"""What a body with the key holds whichever way it escapes the slash; saves the others the parsing."""
_HEADER_MISMATCH = -32020


def era_refusal(header: bytes | None, body: Body) -> Response | None:
    """400 and `-32020` when the body names a revision and the header is not there or names another."""
    if _TRACE not in body.data:
        return None
    seen = None if header is None else header.decode("latin-1")
    decoded = body.decoded
    if decoded is not UNREAD and _named_revision(decoded) in (None, seen):
        return None
    # Again, by a parser that keeps every id as it is and reads what the SDK reads.
    request = _request(body.data)
    named = _named_revision(request)
    if named is None or seen == named:
        return None
    identifier = request.get("id")
    if isinstance(identifier, bool) or not isinstance(identifier, str | int):
        identifier = None
    message = f"The MCP-Protocol-Version header is {seen!r}, the request's _meta says {named!r}"
    error = {"code": _HEADER_MISMATCH, "message": message}
    # Plain ASCII, because an id may hold a lone surrogate, which has no UTF-8 form.
    answer = json.dumps({"jsonrpc": "2.0", "id": identifier, "error": error})
    return Response(answer, 400, media_type="application/json")


def _request(body: bytes) -> dict[str, Any]:
    try:
        decoded = json.loads(body)
    except (ValueError, RecursionError):  # UTF-16 can hide its depth from the guard; whoever parses next says so
        return {}
    return cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {}


def _named_revision(request: object) -> str | None:
    value = request
    for key in ("params", "_meta", _META_KEY):
        value = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None
