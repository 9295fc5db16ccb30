"""Tools and prompts beside the extension, and who sees them.

`always`, or `auto`: not who declares the extension, as it has the same by better means. A client that says nothing may
know the extension all the same, and is shown them. On handshake revisions a client declares it once, at `initialize`;
whoever serves HTTP remembers it in a session id, and sets `declares_skills`.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Literal, cast

from mcp import MCPError
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult
from mcp_types import INVALID_PARAMS, CallToolRequestParams, GetPromptRequestParams, PaginatedRequestParams

from gateway.errors import CursorRefused
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.audited import audited
from gateway.protocol.caller import current_caller
from gateway.protocol.faults import Context, failing_closed
from gateway.protocol.handlers import is_modern
from gateway.protocol.prompts import SkillPrompts
from gateway.protocol.server import EXTENSION
from gateway.protocol.tools import TOOLS, SkillTools, unknown_tool
from gateway.protocol.wire import JsonObject, hints

Shown = Literal["off", "auto", "always"]

declares_skills: ContextVar[bool] = ContextVar("declares_skills", default=False)
"""Whether the client said at `initialize` that it speaks the extension, on handshake revisions."""

_DECLARING = frozenset({"initialize", "server/discover"})


def add_fallbacks(server: Server[Any], adapter: SkillsAdapter, *, tools: Shown, prompts: Shown) -> None:
    """Have a server answer for tools and prompts. With both `off` it is as it was."""
    timeout_s = adapter.options.request_timeout_s
    skill_tools, skill_prompts = SkillTools(adapter), SkillPrompts(adapter)

    async def list_tools(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        if params.cursor is not None:
            raise CursorRefused("the only page has no cursor")
        told: list[JsonObject] = [] if _is_hidden(tools, ctx) else [tool.as_json() for tool in TOOLS]
        answer: JsonObject = {"tools": told}
        return answer | hints(adapter.options, is_modern=is_modern(ctx))

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> JsonObject:
        if _is_hidden(tools, ctx):
            raise unknown_tool(params.name)
        return await skill_tools.call(params, current_caller()) | _complete(ctx)

    async def list_prompts(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        if _is_hidden(prompts, ctx):
            none: JsonObject = {"prompts": []}
            return none | hints(adapter.options, is_modern=is_modern(ctx))
        answer = await skill_prompts.list(params.cursor, current_caller())
        return answer | hints(adapter.options, is_modern=is_modern(ctx))

    async def get_prompt(ctx: Context, params: GetPromptRequestParams) -> JsonObject:
        if _is_hidden(prompts, ctx):
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}")
        return await skill_prompts.get(params, current_caller()) | _complete(ctx)

    if tools != "off":
        server.add_request_handler("tools/list", PaginatedRequestParams, failing_closed(list_tools, timeout_s))
        called = audited(failing_closed(call_tool, timeout_s), adapter.journal)
        server.add_request_handler("tools/call", CallToolRequestParams, called)
    if prompts != "off":
        server.add_request_handler("prompts/list", PaginatedRequestParams, failing_closed(list_prompts, timeout_s))
        got = audited(failing_closed(get_prompt, timeout_s), adapter.journal)
        server.add_request_handler("prompts/get", GetPromptRequestParams, got)
    if "auto" in (tools, prompts):
        hidden = [name for name, shown in (("tools", tools), ("prompts", prompts)) if shown == "auto"]
        _hide_capabilities(server, hidden)


def declares(params: Mapping[str, Any] | None) -> bool:
    """Whether the parameters of `initialize` declare the extension."""
    capabilities = (params or {}).get("capabilities")
    extensions = cast("dict[str, Any]", capabilities).get("extensions") if isinstance(capabilities, dict) else None
    return isinstance(extensions, dict) and EXTENSION in extensions


def _hide_capabilities(server: Server[Any], hidden: list[str]) -> None:
    async def hide(ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method not in _DECLARING or not isinstance(result, dict) or not _declares_now(ctx):
            return result
        capabilities: dict[str, Any] = result.get("capabilities") or {}
        kept = {name: value for name, value in capabilities.items() if name not in hidden}
        return {**result, "capabilities": kept}

    server.middleware.insert(0, hide)


def _is_hidden(shown: Shown, ctx: Context) -> bool:
    return shown == "auto" and _declares_now(ctx)


def _declares_now(ctx: Context) -> bool:
    if ctx.method == "initialize":
        return declares(ctx.params)
    if not is_modern(ctx):
        return declares_skills.get()
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and EXTENSION in (capabilities.extensions or {})


def _complete(ctx: Context) -> JsonObject:
    return {"resultType": "complete"} if is_modern(ctx) else {}
