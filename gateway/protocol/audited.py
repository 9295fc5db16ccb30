"""What a request leaves in the audit, whichever way it was answered.

The SDK's way goes through `audited`; the fast lane makes its events of the same `Asked`.
"""

import functools
import time
from collections.abc import Mapping
from typing import cast

from mcp import MCPError
from mcp_types import CLIENT_INFO_META_KEY, INTERNAL_ERROR

from gateway.audit.event import OK, AuditEvent
from gateway.audit.journal import Journal
from gateway.audit.request import current_request_id
from gateway.audit.trace import Trace, current_trace, forget_trace
from gateway.errors import GatewayError
from gateway.protocol.caller import current_caller
from gateway.protocol.faults import Context, Handler, P
from gateway.protocol.wire import JsonObject

AUDITED = frozenset(
    {
        *("skills/list", "skills/get", "resources/list", "resources/read", "resources/directory/read"),
        *("tools/call", "prompts/get"),
    }
)


class Asked:
    """A request that came just now. `params` are those that the client sent; only its name is taken of them."""

    __slots__ = ("at_s", "began", "method", "params", "request_id", "uri")

    def __init__(
        self, method: str, uri: str | None, params: Mapping[str, object], request_id: int | str | None
    ) -> None:
        self.method, self.uri, self.params, self.request_id = method, uri, params, request_id
        self.at_s, self.began = time.time(), time.perf_counter()

    def answered(self, trace: Trace, result: str) -> AuditEvent:
        """The event of an answer that was made now."""
        caller = trace.caller
        return AuditEvent(
            self.at_s,
            time.perf_counter() - self.began,
            caller.principal,
            caller.variant,
            self.method,
            result,
            self.uri or trace.uri,
            client_of(self.params),
            trace.digest,
            trace.size_bytes,
            trace.items,
            trace.release,
            self.request_id,
            current_request_id(),
        )


def asked_by(message: object, method: str, uri: str | None) -> Asked:
    """What a JSON-RPC request asks, which is known to be right."""
    fields = cast("dict[str, object]", message) if isinstance(message, dict) else {}
    params, request_id = fields.get("params"), fields.get("id")
    known = cast("dict[str, object]", params) if isinstance(params, dict) else {}
    return Asked(method, uri, known, request_id if isinstance(request_id, int | str) else None)


def audited(handler: Handler[P], journal: Journal | None) -> Handler[P]:
    """A handler that fails closed, with each of its answers recorded; the very handler without a journal."""
    if journal is None:
        return handler

    @functools.wraps(handler)
    async def recorded(ctx: Context, params: P) -> JsonObject:
        if ctx.method not in AUDITED:
            return await handler(ctx, params)
        asked = Asked(ctx.method, getattr(params, "uri", None), ctx.params or {}, ctx.request_id)
        result = "cancelled"
        forget_trace()
        try:
            answer = await handler(ctx, params)
            trace = current_trace()
            result = (trace.refusal if trace is not None else None) or OK
            return answer
        except MCPError as error:
            result = reason_of(error)
            raise
        finally:
            # Without a trace it was refused before the adapter was asked.
            journal.record(asked.answered(current_trace() or Trace(current_caller()), result))

    return recorded


def client_of(params: Mapping[str, object]) -> tuple[str, str] | None:
    """Name and version that a client gives itself; None on handshake revisions, whose requests do not say it."""
    meta = params.get("_meta")
    info = cast("dict[str, object]", meta).get(CLIENT_INFO_META_KEY) if isinstance(meta, dict) else None
    if not isinstance(info, dict):
        return None
    fields = cast("dict[str, object]", info)
    return str(fields.get("name", "")), str(fields.get("version", ""))


def params_of_client(name: str, version: str) -> Mapping[str, object]:
    """Parameters that say no more than who asks, for what asks here without MCP."""
    return {"_meta": {CLIENT_INFO_META_KEY: {"name": name, "version": version}}}


def reason_of(error: MCPError) -> str:
    """The reason of what an error was made of."""
    cause = error.__cause__
    if isinstance(cause, GatewayError):
        return cause.reason
    if isinstance(cause, TimeoutError):
        return "timeout"
    return "internal" if error.error.code == INTERNAL_ERROR else "refused"
