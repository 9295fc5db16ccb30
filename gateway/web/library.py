"""`http_app`: any MCP server over HTTP with the gateway's own care, for servers that use the library.

The SDK's own app answers a modern request that lost its revision header by old rules, minds blanks
around header values, and hangs on a handshake-era GET; this one does not.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette

from gateway.protocol.attach import AnyServer, low_level
from gateway.web.app import Backend, View, WebOptions, create_web_app
from gateway.web.hosts import host_rules

LOOPBACK_HOSTS = ("localhost:*", "127.0.0.1:*", "[::1]:*")
LOOPBACK_ORIGINS = tuple(f"http://{host}" for host in LOOPBACK_HOSTS)


def http_app(
    server: AnyServer,
    *,
    path: str = "/mcp",
    allowed_hosts: Sequence[str] = LOOPBACK_HOSTS,
    allowed_origins: Sequence[str] = LOOPBACK_ORIGINS,
) -> Starlette:
    """A Starlette app that serves `server` at `path`, stateless, both eras, with `/livez` and `/readyz`.

    Hosts are `name`, `name:port` or `name:*`, origins the same behind a scheme; ValueError for one that
    is neither. It may be started once, as the SDK's session manager may.
    """

    async def nothing_to_ask() -> None:
        """Whoever answers is ready."""

    @asynccontextmanager
    async def open_backend() -> AsyncGenerator[Backend]:
        yield Backend({"": View(low_level(server))}, nothing_to_ask)

    return create_web_app(open_backend, WebOptions(host_rules(allowed_hosts, allowed_origins), endpoints=(path,)))
