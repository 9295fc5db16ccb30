"""Variants of SEP-2053: declared to clients, and refused by name when a request asks for one that is not there.

Which variant a request gets is settled before it comes here; what was wrong about its wish is left in
`variant_fault`, so that the SDK shapes the error as it does every other one.

Source: SEP-2053 (draft), extension `io.modelcontextprotocol/server-variants`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult
from mcp_types import INVALID_PARAMS

from gateway.protocol.caller import current_caller
from gateway.protocol.faults import Context
from gateway.provider import DEFAULT_VARIANT, Caller

EXTENSION = "io.modelcontextprotocol/server-variants"
META_KEY = "io.modelcontextprotocol/server-variant"

_DECLARING = frozenset({"initialize", "server/discover"})


@dataclass(frozen=True, slots=True)
class VariantFault:
    """Why a request does not get the variant it asks for."""

    message: str
    data: Mapping[str, Any] | None = None


variant_fault: ContextVar[VariantFault | None] = ContextVar("variant_fault", default=None)

NOT_SUPPORTED = VariantFault("Server variants not supported")


def no_such_variant(requested: object, available: Sequence[str]) -> VariantFault:
    """`available` are those the caller may know of."""
    data = {"requestedVariant": requested, "availableVariants": [name or DEFAULT_VARIANT for name in available]}
    return VariantFault("Invalid server variant", data)


@dataclass(frozen=True, slots=True)
class VariantInfo:
    """What clients are told of a variant."""

    name: str
    description: str = ""
    status: str = "stable"

    def as_json(self) -> dict[str, str]:
        return {"id": self.name or DEFAULT_VARIANT, "description": self.description, "status": self.status}


async def refuse_variants(ctx: Context, call_next: CallNext) -> HandlerResult:
    """A middleware: the fault of this request, if there is one."""
    if (fault := variant_fault.get()) is not None:
        raise MCPError(INVALID_PARAMS, fault.message, fault.data and dict(fault.data))
    return await call_next(ctx)


def declare_variants(server: Server[Any], seen_by: Callable[[Caller], Sequence[VariantInfo]]) -> None:
    """Tell each caller of the variants it may know of, in both eras."""

    async def declare(ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method not in _DECLARING or not isinstance(result, dict):
            return result
        told = [info.as_json() for info in seen_by(current_caller())]
        capabilities = dict(result.get("capabilities") or {})
        mine = {EXTENSION: {"availableVariants": told, "moreVariantsAvailable": False}}
        capabilities["extensions"] = {**(capabilities.get("extensions") or {}), **mine}
        return {**result, "capabilities": capabilities}

    server.middleware.insert(0, declare)
