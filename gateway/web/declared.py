"""The ASGI layer that remembers, for hosts of handshake revisions, that they declared the extension.

They say it once, at `initialize`, and no state is kept here: the session id that they are given then, and send with
every later request, says it for them. It says nothing else, and nobody is let in or kept out by it.
Source: MCP 2025-11-25, Streamable HTTP, Session Management; SEP-2640.
"""

import secrets
from typing import Any, cast

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.protocol.fallbacks import declares, declares_skills
from gateway.web.body import Body

_SESSION = b"mcp-session-id"
DECLARED = b".skills"
"""What the session id of a client ends in that declared the extension."""


class Declared:
    """Wraps `app`; stands behind the guard, which reads the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not isinstance(receive, Body):
            await self._app(scope, receive, send)
            return
        session = receive.fields.get(_SESSION) or b""
        before = declares_skills.set(session.endswith(DECLARED))
        try:
            await self._app(scope, receive, _remembering(send) if _declares_at_start(receive) else send)
        finally:
            declares_skills.reset(before)


def _declares_at_start(body: Body) -> bool:
    message = body.decoded
    if type(message) is not dict:
        return False
    request = cast("dict[str, Any]", message)
    params = request.get("params")
    return (
        request.get("method") == "initialize" and isinstance(params, dict) and declares(cast("dict[str, Any]", params))
    )


def _remembering(send: Send) -> Send:
    """Adds a session id to an answer of HTTP 200, be it an error of JSON-RPC: it says no more than the request did."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            session = secrets.token_hex(16).encode() + DECLARED
            message = {**message, "headers": [*message["headers"], (_SESSION, session)]}
        await send(message)

    return sending
