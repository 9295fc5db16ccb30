"""The outermost ASGI layer: lets the scripts of allowed origins ask, and read what they are answered.

Also what turns them away has to be readable to them, 401 above all. Requests without an Origin, which is
all that no browser sends, pass untouched. Source: Fetch standard, CORS protocol; MCP Streamable HTTP.
"""

from collections.abc import Iterable

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.web.hosts import HostRules

_ORIGIN = b"origin"
_METHODS = ("GET", "HEAD", "POST")
_HEADERS = (
    *("accept", "authorization", "content-type", "last-event-id"),
    *("mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "traceparent", "x-request-id"),
)
_EXPOSED = ("mcp-session-id", "retry-after", "www-authenticate", "x-request-id")
_MAX_AGE_S = 600


class _ByRules(CORSMiddleware):
    def __init__(self, app: ASGIApp, rules: HostRules) -> None:
        super().__init__(
            app,
            # None by name, as `is_allowed_origin` asks the rules.
            allow_origins=(),
            allow_methods=_METHODS,
            allow_headers=_HEADERS,
            expose_headers=_EXPOSED,
            max_age=_MAX_AGE_S,
        )
        self._rules = rules

    def is_allowed_origin(self, origin: str) -> bool:
        return self._rules.allows_origin(origin)


class Cors:
    """Wraps `app`, for origins that `rules` allow; `open_paths` say for themselves who may read them."""

    def __init__(self, app: ASGIApp, rules: HostRules, open_paths: Iterable[str]) -> None:
        self._app, self._for_browsers, self._open = app, _ByRules(app, rules), frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _has_origin(scope) and scope["path"] not in self._open:
            await self._for_browsers(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _has_origin(scope: Scope) -> bool:
    # A loop, as every request comes here, and this takes half the time of any().
    for name, _ in scope["headers"]:  # noqa: SIM110
        if name == _ORIGIN:
            return True
    return False
