"""A server over HTTP on the loop of the test, by the library's own app."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from gateway import http_app
from gateway.protocol.attach import AnyServer


@asynccontextmanager
async def listening(server: AnyServer) -> AsyncIterator[str]:
    """URL of `server` over HTTP, on this loop, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = uvicorn.Server(uvicorn.Config(http_app(server), log_config=None, access_log=False, lifespan="on"))
        serving = asyncio.create_task(host.serve([listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            host.should_exit = True
            await serving
            assert host.started
