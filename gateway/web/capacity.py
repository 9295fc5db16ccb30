"""The ASGI layer that bounds what goes on at once: requests, and apart from them the streams of listeners.

What is over the bound is told so at once, and does not wait: whoever waits costs memory and is given up
by its client anyway. A stream lives for hours, so that listeners must not take the place of requests.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.web.denials import Denials

_METHOD, _LISTEN = b"mcp-method", b"subscriptions/listen"
"""The SDK refuses a listener whose header does not say so."""
_RETRY_AFTER_S = 1


@dataclass(slots=True)
class Load:
    """What is under way now."""

    requests: int = 0
    streams: int = 0


class Capacity:
    """Wraps `app`, all of whose paths but `free_paths` count."""

    def __init__(
        self,
        app: ASGIApp,
        max_requests: int,
        max_streams: int,
        denials: Denials,
        free_paths: Iterable[str],
        load: Load | None = None,
    ) -> None:
        """`load` is kept up to date."""
        self._app, self._denials, self._free = app, denials, frozenset(free_paths)
        self._max_requests, self._max_streams, self._load = max_requests, max_streams, load or Load()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._free:
            await self._app(scope, receive, send)
            return
        load = self._load
        if _is_listener(scope):
            if load.streams >= self._max_streams:
                await self._turn_away("streams", scope, receive, send)
                return
            load.streams += 1
            try:
                await self._app(scope, receive, send)
            finally:
                load.streams -= 1
        elif load.requests >= self._max_requests:
            await self._turn_away("requests", scope, receive, send)
        else:
            load.requests += 1
            try:
                await self._app(scope, receive, send)
            finally:
                load.requests -= 1

    async def _turn_away(self, kind: str, scope: Scope, receive: Receive, send: Send) -> None:
        self._denials.count(f"capacity_{kind}")
        await busy(kind)(scope, receive, send)


def _is_listener(scope: Scope) -> bool:
    for name, value in scope["headers"]:
        if name == _METHOD:
            # Blanks around a value do not count, and are still there.
            return value.strip(b" \t") == _LISTEN
    return False


def busy(kind: str) -> Response:
    headers = {"Retry-After": str(_RETRY_AFTER_S), "Cache-Control": "no-store"}
    return JSONResponse({"error_description": f"This server has as many {kind} as it can serve at once"}, 503, headers)
