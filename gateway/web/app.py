"""The Starlette app: the MCP endpoints, health, and the guard around them.

Both eras of the protocol on each URL, stateless and in plain JSON, so that any replica may answer any
request. GET and DELETE on the endpoint are answered with 405 here: a stateless handshake-era GET
would otherwise open a stream that never carries anything.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypedDict

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from gateway.auth.authenticator import Authenticator
from gateway.auth.resource import ProtectedResource
from gateway.objects import Pace
from gateway.protocol.attach import running
from gateway.protocol.caller import current_caller
from gateway.tracing.spans import Traced
from gateway.web.bearer import Bearer
from gateway.web.buckets import Buckets
from gateway.web.callers import WITHOUT_RULES, Callers, MakeCaller
from gateway.web.capacity import Capacity, Load
from gateway.web.choice import Choices, VariantChoice
from gateway.web.cors import Cors
from gateway.web.declared import Declared
from gateway.web.denials import Denials
from gateway.web.dispatch import Dispatch
from gateway.web.guard import Guard
from gateway.web.health import AskStore, Health
from gateway.web.hosts import HostRules
from gateway.web.lane import Lane
from gateway.web.login.login import Login
from gateway.web.login.options import LoginOptions
from gateway.web.login.paths import LOGIN_PATHS
from gateway.web.rates import AddressRate, PrincipalRate
from gateway.web.slashes import WithoutSlash
from gateway.web.view import View

logger = logging.getLogger(__name__)


PUBLIC_PATHS = ("/livez", "/readyz")


@dataclass(frozen=True, slots=True)
class BearerOptions:
    """Asks for a bearer token at each of `resources`. The authenticator must be open while requests are served."""

    authenticator: Authenticator
    resources: tuple[ProtectedResource, ...]


@dataclass(frozen=True, slots=True)
class EdgeOptions:
    """How much is let in, in one process: rates in requests a minute, 0 for no limit."""

    rate_per_address: float = 0
    rate_per_principal: float = 0
    max_requests: int = 1000
    max_streams: int = 1000


@dataclass(frozen=True, slots=True)
class WebOptions:
    """`endpoints` are the paths of MCP; which variant a caller gets there is for `make_caller` to say."""

    rules: HostRules
    endpoints: tuple[str, ...] = ("/mcp",)
    max_body_bytes: int = 64 * 1024
    ready_timeout_s: float = 5.0
    bearer: BearerOptions | None = None
    """Who is let in; None lets everybody in."""
    make_caller: MakeCaller = WITHOUT_RULES
    tells_declared: bool = False
    """Whether handshake-era clients that declare the extension are remembered, for what they are not to see."""
    choices: Choices | None = None
    """Variants that a request may name; None lets it name none."""
    edge: EdgeOptions = EdgeOptions()
    routes: tuple[BaseRoute, ...] = ()
    """Served beside MCP, behind the same layers; `gateway.web.view.view_of` says what a request may see."""
    open_paths: frozenset[str] = frozenset()
    """Paths of `routes` that need no token."""
    login: LoginOptions | None = None
    """How people log in to `routes` with a browser; where everybody is let in there is no login."""
    denials: Denials = field(default_factory=Denials)
    is_traced: bool = False
    load: Load = field(default_factory=Load)
    """Kept up to date while requests are served."""


def _no_pace() -> Pace | None:
    return None


@dataclass(frozen=True, slots=True)
class Backend:
    """What the app serves, once it is open: a view for each variant, and a question that shows the store is there.

    The variant without a name is always one of them.
    """

    views: Mapping[str, View]
    ask_store: AskStore
    pace: Callable[[], Pace | None] = _no_pace


class _State(TypedDict):
    views: Mapping[str, View]
    pace: Callable[[], Pace | None]
    managers: Mapping[str, StreamableHTTPSessionManager]
    lanes: Mapping[str, Lane | None]
    health: Health


class _Endpoint:
    """The MCP endpoints as an ASGI app; the managers are born in the lifespan."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["state"]["managers"][current_caller().variant].handle_request(scope, receive, send)


class _App(Starlette):
    """Starlette behind layers of ours and not in front of them: its own cost as much as the guard does."""

    def __init__(
        self, routes: Sequence[BaseRoute], lifespan: Lifespan[Starlette], wrap: Callable[[ASGIApp], ASGIApp]
    ) -> None:
        super().__init__(routes=routes, lifespan=lifespan)
        self.router.redirect_slashes = False
        self.router.default = WithoutSlash(routes, self.router.default)
        self._wrapped = wrap(super().__call__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._wrapped(scope, receive, send)


def create_web_app(open_backend: Callable[[], AbstractAsyncContextManager[Backend]], options: WebOptions) -> Starlette:
    """An app that opens its backend in the lifespan, on the loop that serves, and closes it last."""

    login = _login(options)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[_State]:
        async with open_backend() as backend, AsyncExitStack() as running_all:
            managers: dict[str, StreamableHTTPSessionManager] = {}
            for variant, view in backend.views.items():
                managers[variant] = StreamableHTTPSessionManager(
                    view.server, stateless=True, json_response=True, max_request_body_size=options.max_body_bytes
                )
                running_all.enter_context(running(view.server))
                await running_all.enter_async_context(managers[variant].run())
            if login is not None:
                await running_all.enter_async_context(login.opened())
            lanes = {variant: view.lane for variant, view in backend.views.items()}
            health = Health(backend.ask_store, timeout_s=options.ready_timeout_s)
            yield {
                "views": backend.views,
                "pace": backend.pace,
                "managers": managers,
                "lanes": lanes,
                "health": health,
            }

    async def live(request: Request) -> JSONResponse:
        return await request.state.health.live(request)

    async def ready(request: Request) -> JSONResponse:
        return await request.state.health.ready(request)

    routes = [
        *(Route(path, _Endpoint(), methods=["POST"]) for path in options.endpoints),
        Route("/livez", live, methods=["GET"]),
        Route("/readyz", ready, methods=["GET"]),
        *options.routes,
        *(login.routes if login else ()),
    ]

    return _App(routes, lifespan, lambda app: _layers(app, options, login))


def _login(options: WebOptions) -> Login | None:
    if options.login is None or options.bearer is None:
        return None
    required = options.bearer.resources[0].required_scopes
    return Login(options.login, options.bearer.authenticator, required, options.denials)


def _layers(app: ASGIApp, options: WebOptions, login: Login | None) -> ASGIApp:
    """The layers in front of the router, from the innermost on."""
    edge, denials = options.edge, options.denials
    rate = PrincipalRate(Buckets(edge.rate_per_principal), denials) if edge.rate_per_principal else None
    callers, choice = Callers(options.make_caller), VariantChoice(options.choices)
    layer: ASGIApp = Dispatch(app, options.endpoints, callers, choice, rate)
    if options.tells_declared:
        layer = Declared(layer)
    unguarded = frozenset(PUBLIC_PATHS)
    if options.bearer is not None:
        public = options.open_paths.union(PUBLIC_PATHS, LOGIN_PATHS if login else ())
        layer = Bearer(layer, options.bearer.authenticator, options.bearer.resources, public, denials)
        unguarded |= layer.metadata_paths
        if login is not None:
            layer = login.layer(layer, options.endpoints)
    layer = Guard(layer, options.rules, options.max_body_bytes, unguarded, denials)
    layer = Capacity(layer, edge.max_requests, edge.max_streams, denials, PUBLIC_PATHS, options.load)
    if edge.rate_per_address:
        layer = AddressRate(layer, Buckets(edge.rate_per_address), denials, PUBLIC_PATHS)
    # Outside of all that turns away, as scripts of allowed origins must be able to read it.
    layer = Cors(layer, options.rules, unguarded)
    return Traced(layer) if options.is_traced else layer
