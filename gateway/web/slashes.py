"""What the router does with a path that is no route: without the slash at its end it may be one.

Hosts are told of endpoints by people, who write `/mcp/`. The answer names a path and no scheme: behind a proxy that
ends TLS none is known here but `http`, and a client would send its token again in the clear.
Source: RFC 9110 sections 10.2.2 (relative references) and 15.4.8 (307).
"""

from collections.abc import Sequence
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send


class WithoutSlash:
    """ASGI app for what none of `routes` took; `otherwise` answers when none would take it without its slash either."""

    def __init__(self, routes: Sequence[BaseRoute], otherwise: ASGIApp) -> None:
        self._routes, self._otherwise = routes, otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._redirect(scope) or self._otherwise)(scope, receive, send)

    def _redirect(self, scope: Scope) -> Response | None:
        if scope["type"] != "http" or not scope["path"].endswith("/"):
            return None
        shorter = {**scope, "path": scope["path"].rstrip("/")}
        if all(route.matches(shorter)[0] is Match.NONE for route in self._routes):
            return None
        query: bytes = scope.get("query_string", b"")
        location = quote(shorter["path"]) + (f"?{query.decode('latin-1')}" if query else "")
        return Response(status_code=307, headers={"Location": location})
