"""The methods of the wire as handlers of the SDK: parameters in, one call of the adapter, a result out.

Nothing is decided here. Each handler ends in time and raises nothing but MCPError.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import PaginatedRequestParams, ReadResourceRequestParams, RequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from gateway.errors import CursorRefused
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.audited import audited
from gateway.protocol.caller import current_caller
from gateway.protocol.faults import Context, failing_closed
from gateway.protocol.wire import JsonObject, hints

TEMPLATE: Mapping[str, str] = {
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


@dataclass(frozen=True, slots=True)
class Binding:
    """A method's parameter model and its handler."""

    params_type: type[RequestParams]
    handler: Callable[[Context, Any], Awaitable[JsonObject]]


def bindings(adapter: SkillsAdapter) -> dict[str, Binding]:
    """Every method that `adapter` answers, by name; directory reads only when they are on."""

    async def list_skills(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        return await adapter.list_skills(params.cursor, current_caller(), is_modern=is_modern(ctx))

    async def get_skill(ctx: Context, params: GetSkillParams) -> JsonObject:
        return await adapter.get_skill(params.uri, current_caller(), is_modern=is_modern(ctx))

    async def read_directory(ctx: Context, params: ReadDirectoryParams) -> JsonObject:
        return await adapter.read_directory(params.uri, params.cursor, current_caller(), is_modern=is_modern(ctx))

    async def list_resources(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        return await adapter.list_resources(params.cursor, current_caller(), is_modern=is_modern(ctx))

    async def read_resource(ctx: Context, params: ReadResourceRequestParams) -> JsonObject:
        return await adapter.read_resource(params.uri, current_caller(), is_modern=is_modern(ctx))

    async def list_templates(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        if params.cursor is not None:
            raise CursorRefused("the only page has no cursor")
        return {"resourceTemplates": [dict(TEMPLATE)]} | hints(adapter.options, is_modern=is_modern(ctx))

    found: dict[str, tuple[type[RequestParams], Callable[[Context, Any], Awaitable[JsonObject]]]] = {
        "skills/list": (PaginatedRequestParams, list_skills),
        "skills/get": (GetSkillParams, get_skill),
        "resources/list": (PaginatedRequestParams, list_resources),
        "resources/templates/list": (PaginatedRequestParams, list_templates),
        "resources/read": (ReadResourceRequestParams, read_resource),
    }
    if adapter.options.directory_read:
        found["resources/directory/read"] = (ReadDirectoryParams, read_directory)
    timeout_s = adapter.options.request_timeout_s
    return {
        method: Binding(params, audited(failing_closed(handler, timeout_s), adapter.journal))
        for method, (params, handler) in found.items()
    }


def is_modern(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
