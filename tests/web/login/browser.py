"""A gateway with one small page, and a browser that logs in to it.

The page says who reads it. Everything else is as `create_web_app` makes it.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gateway.auth.apikeys import make_api_key
from gateway.auth.authenticator import Authenticator, AuthOptions
from gateway.auth.issuer import TrustedIssuer
from gateway.auth.resource import ProtectedResource
from gateway.protocol.caller import current_caller
from gateway.protocol.server import build_server
from gateway.web.app import Backend, BearerOptions, View, WebOptions, create_web_app
from gateway.web.denials import Denials
from gateway.web.hosts import host_rules
from gateway.web.login.options import LoginOptions
from gateway.web.login.paths import PagePaths
from tests.auth.identity import Clock
from tests.protocol.host import serving
from tests.protocol.providers import Answering, adapter_of

KEY, KEPT = make_api_key("reader", b"1" * 32)
WEAK, WEAK_KEPT = make_api_key("weak", b"2" * 32, ("other:scope",))
PUBLIC = "https://skills.example.com"
PAGES = PagePaths(frozenset({"/", "/posted"}), ("/skills/", "/mcp"))
"""The endpoint is among them by mistake: no session may count there all the same."""
HTML = {"Accept": "text/html,application/xhtml+xml"}
RING = (b"k" * 32,)


@dataclass
class Browser:
    """Keeps cookies, says where its forms come from, and follows no redirect."""

    client: httpx.AsyncClient
    denials: Denials
    origin: str = PUBLIC

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=HTML | headers)

    async def post(self, path: str, form: dict[str, str] | None = None, **headers: str) -> httpx.Response:
        own = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        return await self.client.post(path, data=form or {}, headers=HTML | own | headers)

    async def log_in(self, token: str, next_path: str = "/") -> httpx.Response:
        return await self.post("/login", {"token": token, "next": next_path})


@asynccontextmanager
async def browsing(
    clock: Clock,
    *,
    issuers: Sequence[TrustedIssuer] = (),
    public: str = PUBLIC,
    ring: tuple[bytes, ...] = RING,
    cookies: Any = None,
    **login: Any,
) -> AsyncIterator[Browser]:
    """A browser at a gateway under the URL `public`; it may bring `cookies` of another one."""
    trusted = AuthOptions(tuple(issuers), (KEPT, WEAK_KEPT))
    authenticator = Authenticator(trusted, clock=clock, now=clock)
    resource = ProtectedResource("/mcp", f"{public}/mcp", tuple(one.issuer for one in issuers))
    denials = Denials()
    options = WebOptions(
        host_rules((public.partition("://")[2],), (public, "https://app.example.com")),
        bearer=BearerOptions(authenticator, (resource,)),
        denials=denials,
        routes=(
            Route("/", _whoami),
            Route("/skills/{path:path}", _whoami),
            Route("/posted", _whoami, methods=["POST"]),
        ),
        login=LoginOptions(PAGES, ring, public_origin=public, clock=clock, **login),
    )

    @asynccontextmanager
    async def opened() -> AsyncIterator[Backend]:
        async with authenticator.opened():
            server = build_server(adapter_of(Answering()), name="test", version="1", instructions="Read on.")
            yield Backend({"": View(server)}, _nothing)

    async with serving(create_web_app(opened, options)) as host:
        host.client.base_url = httpx.URL(public)
        host.client.cookies = httpx.Cookies(cookies)
        yield Browser(host.client, denials, public)


async def _nothing() -> None: ...


async def _whoami(request: Request) -> Response:
    return JSONResponse({"issuer": current_caller().issuer, "subject": current_caller().subject})


READER = {"issuer": "urn:skills-gateway:api-key", "subject": "reader"}
