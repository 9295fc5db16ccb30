"""The ASGI layer in front of everything but health: Host, Origin, body size, depth of JSON.

It answers 421, 403, 413 and 400 before any other code sees the request, and hands the body on as one
message. 64 KiB of brackets would otherwise exhaust the stack of whoever parses them. Every request
passes here, so nothing is built that a good one does not need. Field values arrive with the blanks
around them, which do not count.
Source: RFC 9110 sections 5.5, 15.5.4, 15.5.14, 15.5.20; JSON-RPC 2.0 section 5.1 (-32700).
"""

import logging
import re

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.web.body import Body, Fields
from gateway.web.denials import Denials
from gateway.web.eras import era_refusal
from gateway.web.hosts import HostRules
from gateway.web.repeats import Repeats

MAX_JSON_DEPTH = 128
# A string that does not end reaches to the end of the body, so that nothing is scanned twice.
_STRINGS_AND_BRACKETS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error: nested too deeply"}}
_MAX_LENGTH_DIGITS = 18
_MAX_KNOWN = 1024
_REASONS = {400: "malformed", 403: "origin", 413: "too_large", 421: "host"}


class Guard:
    """Wraps `app`; `max_body_bytes` bounds what is held of one request."""

    def __init__(
        self, app: ASGIApp, rules: HostRules, max_body_bytes: int, unguarded: frozenset[str], denials: Denials
    ) -> None:
        self._app, self._rules, self._max_body_bytes, self._unguarded = app, rules, max_body_bytes, unguarded
        self._denials, self._repeats = denials, Repeats()
        # What the rules allowed before. Only that: what they refuse has no bound.
        self._hosts, self._origins = set[bytes](), set[bytes]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._unguarded:
            await self._app(scope, receive, send)
            return
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        scope, fields = {**scope, "headers": headers}, Fields(headers)
        refusal = self._refusal(fields)
        if refusal is None and scope["method"] == "POST":
            read = await self._read_body(fields, receive)
            if isinstance(read, Body):
                await self._hand_on(scope, read, send)
                return
            refusal = read
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await self._refuse(refusal, scope, receive, send)

    async def _hand_on(self, scope: Scope, body: Body, send: Send) -> None:
        if body.plain is not None:  # one like it was let through
            await self._app(scope, body, send)
        elif (refusal := era_refusal(body.fields.get(b"mcp-protocol-version"), body)) is not None:
            await self._refuse(refusal, scope, body, send)
        else:
            await self._app(scope, body, send)
            if body.plain is not None:
                self._repeats.learn(body.fields, body.data, body.plain)

    async def _refuse(self, refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
        self._denials.count(_REASONS[refusal.status_code], level=logging.INFO)
        await refusal(scope, receive, send)

    def _refusal(self, fields: Fields) -> Response | None:
        host, origin = fields.get(b"host"), fields.get(b"origin")
        if b"host" in fields.repeated or host is None or not (host in self._hosts or self._allows_host(host)):
            return PlainTextResponse("This server does not answer for that Host (GATEWAY_ALLOWED_HOSTS)", 421)
        if origin is None or (origin in self._origins and b"origin" not in fields.repeated):
            return None
        if b"origin" in fields.repeated or not self._allows_origin(origin):
            return PlainTextResponse("This Origin may not use this server (GATEWAY_ALLOWED_ORIGINS)", 403)
        return None

    def _allows_host(self, host: bytes) -> bool:
        is_allowed = self._rules.allows_host(host.decode("latin-1"))
        return is_allowed and _remember(self._hosts, host)

    def _allows_origin(self, origin: bytes) -> bool:
        is_allowed = self._rules.allows_origin(origin.decode("latin-1"))
        return is_allowed and _remember(self._origins, origin)

    async def _read_body(self, fields: Fields, receive: Receive) -> Body | Response:
        if _declares_more(fields.get(b"content-length"), self._max_body_bytes):
            return self._too_large()
        chunks: list[bytes] = []
        left = self._max_body_bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return Response(status_code=400)
            chunks.append(message.get("body", b""))
            left -= len(chunks[-1])
            if left < 0:
                return self._too_large()
            if not message.get("more_body"):
                body = b"".join(chunks)
                known = self._repeats.find(fields, body)
                if known is None and is_too_deep(body):
                    return JSONResponse(_PARSE_ERROR, 400)
                return Body(body, receive, fields, known)

    def _too_large(self) -> Response:
        return PlainTextResponse(f"The request body is larger than {self._max_body_bytes} bytes", 413)


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


def _declares_more(length: bytes | None, max_bytes: int) -> bool:
    if length is None or not length.isdigit():
        return False
    return len(length) > _MAX_LENGTH_DIGITS or int(length) > max_bytes


def _remember(known: set[bytes], value: bytes) -> bool:
    """Always true. `name:*` allows every port, so there is an end to what is remembered."""
    if len(known) < _MAX_KNOWN:
        known.add(value)
    return True
