"""Errors out: what a failure is on the wire.

`-32602` with a sentence for what the caller asked wrongly; `-32603` with one of two fixed texts for
what is our fault, whose cause goes to the log once. A plain exception must never reach the SDK: on
handshake revisions it sends the exception's text to the client, with code 0.
"""

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import BaseModel

from gateway.errors import ForeignVariant, GatewayError, RequestError, StoreError
from gateway.protocol.wire import JsonObject

logger = logging.getLogger(__name__)

STORAGE_DOWN = "Storage is unavailable; try again later"
INTERNAL = "Internal error"

Context = ServerRequestContext[object, object]
P = TypeVar("P", bound=BaseModel)
Handler = Callable[[Context, P], Awaitable[JsonObject]]


def to_mcp_error(error: Exception, method: str, uri: str | None = None) -> MCPError:
    """The error to send for `error`; logs the cause of what is not the caller's doing.

    `uri` is the one that was asked for, told back as `data.uri` with what was wrong about it.
    """
    if isinstance(error, MCPError):
        return error
    if isinstance(error, ForeignVariant):
        data = {"cursorVariant": error.cursor_variant, "requestedVariant": error.requested_variant}
        return MCPError(INVALID_PARAMS, "Cursor invalid for requested variant", data)
    if isinstance(error, RequestError):
        return MCPError(INVALID_PARAMS, str(error), None if uri is None else {"uri": uri})
    if isinstance(error, StoreError):
        logger.error("%s: %s: %s", method, error.reason, error)
        return MCPError(INTERNAL_ERROR, STORAGE_DOWN)
    if isinstance(error, TimeoutError):
        logger.error("%s: took longer than one request may", method)
        return MCPError(INTERNAL_ERROR, STORAGE_DOWN)
    if isinstance(error, GatewayError):
        logger.error("%s: %s: %s", method, error.reason, error)
    else:
        logger.error("%s: unexpected error", method, exc_info=error)
    return MCPError(INTERNAL_ERROR, INTERNAL)


def failing_closed(handler: Handler[P], timeout_s: float) -> Handler[P]:
    """A handler that ends in time and raises nothing but MCPError.

    A ValidationError of ours would otherwise be told as the client's fault. In JSON mode a client that
    goes away cancels nothing, so the whole request has an end of its own.
    """

    @functools.wraps(handler)
    async def guarded(ctx: Context, params: P) -> JsonObject:
        try:
            async with asyncio.timeout(timeout_s):
                return await handler(ctx, params)
        except Exception as error:
            raise to_mcp_error(error, ctx.method, getattr(params, "uri", None)) from error

    return guarded
