"""The Python SDK alone: its low-level server, whose handlers return dictionaries that are in memory.

python -m benchmarks.peers.bare_sdk PORT RESULTS      RESULTS is JSON: era and method to result
"""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import PaginatedRequestParams, ReadResourceRequestParams, RequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

Results = dict[str, dict[str, dict[str, Any]]]


class GetSkillParams(RequestParams):
    """Parameters of `skills/get`."""

    uri: str


PARAMS: dict[str, type[RequestParams]] = {
    "skills/list": PaginatedRequestParams,
    "skills/get": GetSkillParams,
    "resources/read": ReadResourceRequestParams,
}


def server_of(results: Results) -> Server[Any]:
    server: Server[Any] = Server("bare", version="1")
    server.extensions["io.modelcontextprotocol/skills"] = {}
    for method, params_type in PARAMS.items():

        async def answer(ctx: ServerRequestContext[Any, Any], params: Any, method: str = method) -> dict[str, Any]:
            era = "modern" if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else "legacy"
            return results[era][method]

        server.add_request_handler(method, params_type, answer)
    return server


def app_of(results: Results) -> Starlette:
    manager = StreamableHTTPSessionManager(server_of(results), stateless=True, json_response=True)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    class Endpoint:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await manager.handle_request(scope, receive, send)

    return Starlette(routes=[Route("/mcp", Endpoint(), methods=["POST"])], lifespan=lifespan)


def main() -> None:
    results = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    uvicorn.run(app_of(results), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
