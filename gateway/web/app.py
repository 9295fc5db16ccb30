"""The Starlette app: one MCP endpoint, health, and the guard around them.

Both eras of the protocol on one URL, stateless and in plain JSON, so that any replica may answer any
request. GET and DELETE on the endpoint are answered with 405 here: a stateless handshake-era GET
would otherwise open a stream that never carries anything.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypedDict

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from gateway.auth.authenticator import Authenticator
from gateway.auth.resource import ProtectedResource
from gateway.protocol.attach import running
from gateway.web.bearer import Bearer
from gateway.web.callers import WITHOUT_RULES, Callers, MakeCaller
from gateway.web.guard import Guard
from gateway.web.health import AskStore, Health
from gateway.web.hosts import HostRules
from gateway.web.lane import Lane, LaneMiddleware

logger = logging.getLogger(__name__)


PUBLIC_PATHS = ("/livez", "/readyz")


@dataclass(frozen=True, slots=True)
class BearerOptions:
    """Asks for a bearer token at `resource`. The authenticator must be open while requests are served."""

    authenticator: Authenticator
    resource: ProtectedResource


@dataclass(frozen=True, slots=True)
class WebOptions:
    """`endpoint` is the path of MCP, `/mcp` unless told otherwise."""

    rules: HostRules
    endpoint: str = "/mcp"
    max_body_bytes: int = 64 * 1024
    ready_timeout_s: float = 5.0
    bearer: BearerOptions | None = None
    """Who is let in; None lets everybody in."""
    make_caller: MakeCaller = WITHOUT_RULES


@dataclass(frozen=True, slots=True)
class Backend:
    """What the app serves, once it is open: the MCP server, and a question that shows the store is there.

    `lane` answers what it can without the server; without one the server answers everything.
    """

    server: Server[Any]
    ask_store: AskStore
    lane: Lane | None = None


class _State(TypedDict):
    manager: StreamableHTTPSessionManager
    health: Health
    lane: Lane | None


class _Endpoint:
    """The MCP endpoint as an ASGI app; its manager is born in the lifespan."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["state"]["manager"].handle_request(scope, receive, send)


class _App(Starlette):
    """Starlette behind layers of ours and not in front of them: its own cost as much as the guard does."""

    def __init__(
        self, routes: Sequence[BaseRoute], lifespan: Lifespan[Starlette], wrap: Callable[[ASGIApp], ASGIApp]
    ) -> None:
        super().__init__(routes=routes, lifespan=lifespan)
        self._wrapped = wrap(super().__call__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._wrapped(scope, receive, send)


def create_web_app(open_backend: Callable[[], AbstractAsyncContextManager[Backend]], options: WebOptions) -> Starlette:
    """An app that opens its backend in the lifespan, on the loop that serves, and closes it last."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[_State]:
        async with open_backend() as backend:
            manager = StreamableHTTPSessionManager(
                backend.server, stateless=True, json_response=True, max_request_body_size=options.max_body_bytes
            )
            health = Health(backend.ask_store, timeout_s=options.ready_timeout_s)
            with running(backend.server):
                async with manager.run():
                    yield {"manager": manager, "health": health, "lane": backend.lane}

    async def live(request: Request) -> JSONResponse:
        return await request.state.health.live(request)

    async def ready(request: Request) -> JSONResponse:
        return await request.state.health.ready(request)

    routes = [
        Route(options.endpoint, _Endpoint(), methods=["POST"]),
        Route("/livez", live, methods=["GET"]),
        Route("/readyz", ready, methods=["GET"]),
    ]

    def wrap(app: ASGIApp) -> ASGIApp:
        behind: ASGIApp = Callers(LaneMiddleware(app, options.endpoint), options.make_caller)
        unguarded = frozenset(PUBLIC_PATHS)
        if options.bearer is not None:
            behind = Bearer(behind, options.bearer.authenticator, [options.bearer.resource], PUBLIC_PATHS)
            unguarded |= behind.metadata_paths
        return Guard(behind, options.rules, options.max_body_bytes, unguarded)

    return _App(routes, lifespan, wrap)
