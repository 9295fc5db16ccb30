"""A low-level MCP server of our own around an adapter, for both eras of the protocol.

Traps of `mcp` 2.3 that this module exists for: the handshake revisions drop `capabilities.extensions`
from the `initialize` result, without which the official TypeScript client sees no skills; a plain
exception leaves with its text; the core results are shaped by the SDK, the extension's are not.
"""

from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult
from pydantic import ValidationError

from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.faults import Context, to_mcp_error
from gateway.protocol.handlers import bindings
from gateway.protocol.variants import refuse_variants

EXTENSION = "io.modelcontextprotocol/skills"


def build_server(adapter: SkillsAdapter, *, name: str, version: str, instructions: str) -> Server[Any]:
    """A server with the extension declared and all its methods handled. It holds no state of its own."""
    server: Server[Any] = Server(name, version=version, instructions=instructions)
    for method, binding in bindings(adapter).items():
        server.add_request_handler(method, binding.params_type, binding.handler)
    declare_extension(server, adapter)
    server.middleware.insert(0, refuse_variants)
    server.middleware.insert(0, fail_closed)
    return server


def declare_extension(server: Server[Any], adapter: SkillsAdapter) -> None:
    """Declare the extension on both eras: on the modern one by the SDK, on handshake ones by a middleware."""
    server.extensions[EXTENSION] = {"directoryRead": True} if adapter.options.directory_read else {}

    async def declare(ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method != "initialize" or not isinstance(result, dict):
            return result
        capabilities = {**result.get("capabilities", {}), "extensions": dict(server.extensions)}
        return {**result, "capabilities": capabilities}

    server.middleware.insert(0, declare)


async def fail_closed(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Outermost: whatever is not an answer becomes `-32603` with a fixed text.

    A ValidationError here is the SDK's own verdict on the request's parameters; ours never get out of
    a handler.
    """
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:
        raise to_mcp_error(error, ctx.method) from error
