"""The low-level MCP server around an adapter, for both eras of the protocol.

Traps of `mcp` 2.3 that this module exists for: the handshake revisions drop `capabilities.extensions`
from the `initialize` result, without which the official TypeScript client sees no skills; a plain
exception leaves with its text; the core results are shaped by the SDK, the extension's are not.
"""

from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.context import CallNext, HandlerResult
from mcp_types import PaginatedRequestParams, ReadResourceRequestParams, RequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from gateway.errors import CursorRefused
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.faults import Context, failing_closed, to_mcp_error
from gateway.protocol.wire import JsonObject, hints
from gateway.provider import Caller

EXTENSION = "io.modelcontextprotocol/skills"
TEMPLATE = {
    "uriTemplate": "skill://{+path}",
    "name": "skill-file",
    "description": "A file of an Agent Skill: skill://<skill path>/<file path>",
}


class GetSkillParams(RequestParams):
    """Parameters of `skills/get`."""

    uri: str


class ReadDirectoryParams(PaginatedRequestParams):
    """Parameters of `resources/directory/read`."""

    uri: str


def build_server(adapter: SkillsAdapter, *, name: str, version: str, instructions: str) -> Server[Any]:
    """A server with the extension declared and all its methods handled. It holds no state of its own."""

    async def list_skills(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        return await adapter.list_skills(params.cursor, caller_of(ctx), is_modern=is_modern(ctx))

    async def get_skill(ctx: Context, params: GetSkillParams) -> JsonObject:
        return await adapter.get_skill(params.uri, caller_of(ctx), is_modern=is_modern(ctx))

    async def read_directory(ctx: Context, params: ReadDirectoryParams) -> JsonObject:
        return await adapter.read_directory(params.uri, params.cursor, caller_of(ctx), is_modern=is_modern(ctx))

    async def list_resources(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        return await adapter.list_resources(params.cursor, caller_of(ctx), is_modern=is_modern(ctx))

    async def read_resource(ctx: Context, params: ReadResourceRequestParams) -> JsonObject:
        return await adapter.read_resource(params.uri, caller_of(ctx), is_modern=is_modern(ctx))

    async def list_templates(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        if params.cursor is not None:
            raise CursorRefused("the only page has no cursor")
        return {"resourceTemplates": [TEMPLATE]} | hints(adapter.options, is_modern=is_modern(ctx))

    server: Server[Any] = Server(name, version=version, instructions=instructions)
    server.add_request_handler("skills/list", PaginatedRequestParams, failing_closed(list_skills))
    server.add_request_handler("skills/get", GetSkillParams, failing_closed(get_skill))
    server.add_request_handler("resources/list", PaginatedRequestParams, failing_closed(list_resources))
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, failing_closed(list_templates))
    server.add_request_handler("resources/read", ReadResourceRequestParams, failing_closed(read_resource))
    if adapter.options.directory_read:
        server.add_request_handler("resources/directory/read", ReadDirectoryParams, failing_closed(read_directory))
    server.extensions[EXTENSION] = {"directoryRead": True} if adapter.options.directory_read else {}
    server.middleware[:0] = [fail_closed, _declare_on_initialize(server)]
    return server


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


def _declare_on_initialize(server: Server[Any]):
    async def declare(ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method != "initialize" or not isinstance(result, dict):
            return result
        capabilities = {**result.get("capabilities", {}), "extensions": dict(server.extensions)}
        return {**result, "capabilities": capabilities}

    return declare


def is_modern(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def caller_of(ctx: Context) -> Caller:
    """The verified principal of this request; anonymous without a token."""
    token = get_access_token()
    if token is None:
        return Caller()
    claims = token.claims or {}
    return Caller(str(claims.get("iss", "")), token.client_id, token.subject or "")
