"""A middleware that tells how each request ended, for whoever counts them."""

import time
from collections.abc import Callable
from typing import Any

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp_types import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from gateway.protocol.faults import Context

Observe = Callable[[str, bool, str, float], None]
"""Method, whether the era is modern, `ok` or the code of the error, and the duration in s."""


def metered(observe: Observe) -> ServerMiddleware[Any]:
    """The outermost middleware of a server."""

    async def measure(ctx: Context, call_next: CallNext) -> HandlerResult:
        began, code = time.perf_counter(), "cancelled"
        try:
            result = await call_next(ctx)
            code = "ok"
            return result
        except MCPError as error:
            code = str(error.error.code)
            raise
        except ValidationError:
            code = str(INVALID_PARAMS)
            raise
        finally:
            is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
            observe(ctx.method, is_modern, code, time.perf_counter() - began)

    return measure
