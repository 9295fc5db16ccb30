"""Putting an adapter on somebody else's server, high-level or low-level, beside what it serves already.

The server's own resources stay: a `skill://` URI is ours, every other one is answered as before, and
the lists come one after the other. Everything is checked first, so a refusal leaves the server as it
was. Source: MCP Resources.
"""

import gc
import json
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast
from weakref import WeakKeyDictionary, WeakSet

from mcp.server import MCPServer, Server
from mcp.server.runner import ServerRunner
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import PaginatedRequestParams, ReadResourceRequestParams
from pydantic import BaseModel

from gateway.cursor import CursorScope
from gateway.errors import GatewayError
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.caller import current_caller
from gateway.protocol.changes import ChangeSignal
from gateway.protocol.faults import Context
from gateway.protocol.handlers import TEMPLATE, Binding, bindings
from gateway.protocol.server import EXTENSION, declare_extension
from gateway.protocol.wire import JsonObject
from gateway.provider import Page
from gateway.skill.uri import SCHEME

AnyServer = MCPServer[Any] | Server[Any]
_FIRST = json.dumps([None])
"""The position before the other source's first page."""

_Serve = Callable[[Context, Any], Awaitable[Any]]
_attached: WeakKeyDictionary[Server[Any], SkillsAdapter] = WeakKeyDictionary()
_running: WeakSet[Server[Any]] = WeakSet()


class AttachRefused(GatewayError):
    """The server cannot take the skills; it was left as it was."""

    reason = "attach_refused"


def attach(server: AnyServer, adapter: SkillsAdapter, signal: ChangeSignal) -> None:
    """Serve `adapter` on `server`, and connect `signal` to its clients. A second time does nothing.

    Raises AttachRefused for a server that has another skills extension, that handles one of its
    methods already, or that already runs.
    """
    low = low_level(server)
    if _attached.get(low) is adapter:
        return
    ours = bindings(adapter)
    _check_free(low, [method for method in ours if not method.startswith("resources/") or "directory" in method])
    for method, beside in _BESIDE.items():
        theirs = low.get_request_handler(method)
        if theirs is not None:
            # Ours fails closed already; theirs keeps its own errors and takes its own time.
            ours[method] = Binding(ours[method].params_type, beside(ours[method].handler, theirs.handler, adapter))
    for method, binding in ours.items():
        low.add_request_handler(method, binding.params_type, binding.handler)
    declare_extension(low, adapter)
    signal.connect(low)
    _attached[low] = adapter


def low_level(server: AnyServer) -> Server[Any]:
    """The low-level server below a high-level one, which gives no public way to it in `mcp` 2.3."""
    return server if isinstance(server, Server) else server._lowlevel_server  # pyright: ignore[reportPrivateUsage]


def _check_free(low: Server[Any], methods: list[str]) -> None:
    if EXTENSION in low.extensions:
        raise AttachRefused(f"the server {low.name!r} has a skills extension already; attach one, over all sources")
    for method in methods:
        if low.get_request_handler(method) is not None:
            raise AttachRefused(f"the server {low.name!r} handles {method} already; take that handler away")
    if is_running(low):
        raise AttachRefused(f"the server {low.name!r} runs already; attach before it is started")


@contextmanager
def running(low: Server[Any]) -> Generator[None]:
    """Mark a server as one that runs while the block lasts."""
    _running.add(low)
    try:
        yield
    finally:
        _running.discard(low)


def is_running(low: Server[Any]) -> bool:
    """Whether a server serves anybody in this process, as far as can be seen.

    The SDK keeps no mark of it, but an object for each connection and each HTTP app that is started,
    and those are looked for. A modern client in this process holds no connection between two requests.
    """
    if low in _running:
        return True
    gc.collect()  # what served a connection that has ended may still wait to be collected
    return any(_serves(one, low) for one in gc.get_objects())


def _serves(one: object, low: Server[Any]) -> bool:
    # By exact type: to ask a stranger's object for its class may run its code.
    if type(one) is StreamableHTTPSessionManager:
        return one.app is low and one._task_group is not None  # pyright: ignore[reportPrivateUsage]
    return type(one) is ServerRunner and one.server is low


def _read_beside(ours: _Serve, theirs: _Serve, adapter: SkillsAdapter) -> _Serve:
    async def read(ctx: Context, params: ReadResourceRequestParams) -> Any:
        is_skill = params.uri[: len(SCHEME)].lower() == SCHEME
        return await (ours if is_skill else theirs)(ctx, params)

    return read


def _list_beside(ours: _Serve, theirs: _Serve, adapter: SkillsAdapter) -> _Serve:
    scope = CursorScope("resources/list", (("source", "beside"),))

    async def listed(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        caller = current_caller()
        bound = replace(scope, principal=caller.principal)
        place = adapter.pager.try_open(params.cursor, bound, caller)
        if place is None or place.position is None:
            page = dict(cast("JsonObject", await ours(ctx, params)))
            return page if "nextCursor" in page else page | adapter.pager.seal(_FIRST, Page(1), 0, bound, caller)
        (inner,) = json.loads(place.position)
        page = _dumped(await theirs(ctx, params.model_copy(update={"cursor": inner})))
        following = page.pop("nextCursor", None)
        return (
            page if following is None else page | adapter.pager.seal(json.dumps([following]), place, 0, bound, caller)
        )

    return listed


def _templates_beside(ours: _Serve, theirs: _Serve, adapter: SkillsAdapter) -> _Serve:
    async def templates(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        page = _dumped(await theirs(ctx, params))
        if params.cursor is None:
            page["resourceTemplates"] = [dict(TEMPLATE), *page.get("resourceTemplates", [])]
        return page

    return templates


_BESIDE: dict[str, Callable[[_Serve, _Serve, SkillsAdapter], _Serve]] = {
    "resources/read": _read_beside,
    "resources/list": _list_beside,
    "resources/templates/list": _templates_beside,
}


def _dumped(result: object) -> JsonObject:
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dict(cast("JsonObject", result))
