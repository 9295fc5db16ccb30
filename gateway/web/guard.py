"""The ASGI layer in front of everything but health: Host, Origin, body size, depth of JSON.

It answers 421, 403, 413 and 400 before any other code sees the request, and hands the body on as one
message. 64 KiB of brackets would otherwise exhaust the stack of whoever parses them.
Source: RFC 9110 sections 15.5.4, 15.5.14, 15.5.20; JSON-RPC 2.0 section 5.1 (-32700).
"""

import re

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.web.eras import era_refusal, without_blanks
from gateway.web.hosts import HostRules

MAX_JSON_DEPTH = 128
# A string that does not end reaches to the end of the body, so that nothing is scanned twice.
_STRINGS_AND_BRACKETS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error: nested too deeply"}}


class Guard:
    """Wraps `app`; `max_body_bytes` bounds what is held of one request."""

    def __init__(self, app: ASGIApp, rules: HostRules, max_body_bytes: int, unguarded: frozenset[str]) -> None:
        self._app, self._rules, self._max_body_bytes, self._unguarded = app, rules, max_body_bytes, unguarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._unguarded:
            await self._app(scope, receive, send)
            return
        scope = without_blanks(scope)
        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        body = b""
        if refusal is None and scope["method"] == "POST":
            read = await self._read_body(headers, receive)
            refusal, body = (read, b"") if isinstance(read, Response) else (era_refusal(headers, read), read)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, _replaying(body, receive) if scope["method"] == "POST" else receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._rules.allows_host(hosts[0]):
            return PlainTextResponse("This server does not answer for that Host (GATEWAY_ALLOWED_HOSTS)", 421)
        origins = headers.getlist("origin")
        if any(not self._rules.allows_origin(origin) for origin in origins):
            return PlainTextResponse("This Origin may not use this server (GATEWAY_ALLOWED_ORIGINS)", 403)
        return None

    async def _read_body(self, headers: Headers, receive: Receive) -> bytes | Response:
        too_large = PlainTextResponse(f"The request body is larger than {self._max_body_bytes} bytes", 413)
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self._max_body_bytes:
            return too_large
        chunks: list[bytes] = []
        left = self._max_body_bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return Response(status_code=400)
            chunks.append(message.get("body", b""))
            left -= len(chunks[-1])
            if left < 0:
                return too_large
            if not message.get("more_body"):
                body = b"".join(chunks)
                return JSONResponse(_PARSE_ERROR, 400) if is_too_deep(body) else body


def is_too_deep(body: bytes) -> bool:
    """Whether JSON nests deeper than MAX_JSON_DEPTH; brackets in strings do not count."""
    if body.count(b"[") + body.count(b"{") <= MAX_JSON_DEPTH:
        return False
    depth = 0
    for found in _STRINGS_AND_BRACKETS.finditer(body):
        if found[0] in (b"[", b"{"):
            depth += 1
            if depth > MAX_JSON_DEPTH:
                return True
        elif found[0] in (b"]", b"}"):
            depth -= 1
    return False


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body read before once, and then what really comes."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
