"""Telling clients that the list changed: one signal for any number of servers, both eras.

Modern clients hear it on their `subscriptions/listen` stream, through the server's own bus when it has
one; handshake-era clients on their session, for as long as it is connected. What cannot be delivered
is dropped: a client that missed it asks again when its copy is old. Source: MCP 2026-07-28,
Subscriptions; MCP 2025-11-25, Resources (`notifications/resources/list_changed`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    SubscriptionBus,
)
from mcp_types import SubscriptionsListenRequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from gateway.protocol.faults import Context

logger = logging.getLogger(__name__)

_MAX_SESSIONS = 10_000

Listen = Callable[[ServerRequestContext[Any, Any], SubscriptionsListenRequestParams], Awaitable[HandlerResult]]


class ChangeSignal:
    """Says "the list changed" on every server it was connected to.

    `send_within_s` is how long a session may take to accept it; one that does not is given up.
    """

    def __init__(self, *, send_within_s: float = 5.0) -> None:
        self._send_within_s = send_within_s
        self._buses: list[SubscriptionBus] = []
        self._sessions: dict[int, ServerSession] = {}
        self._listening: list[ListenHandler] = []

    def connect(self, low: Server[Any], wrap: Callable[[ListenHandler], Listen] = lambda handler: handler) -> None:
        """Reach the clients of one more server; gives it `subscriptions/listen`, wrapped, when it has none."""
        entry = low.get_request_handler("subscriptions/listen")
        if entry is None:
            bus: SubscriptionBus = InMemorySubscriptionBus()
            handler = ListenHandler(bus)
            self._listening.append(handler)
            low.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, wrap(handler))
            self._buses.append(bus)
        elif isinstance(entry.handler, ListenHandler):
            # The SDK's high-level server makes its own bus and shows it to request handlers alone.
            bus = entry.handler._bus  # pyright: ignore[reportPrivateUsage]
            if not any(known is bus for known in self._buses):  # servers may share one
                self._buses.append(bus)
        low.middleware.append(self._remember)

    async def list_changed(self) -> None:
        """Tell every listener, all at once. Never raises for one that went away, nor waits long for it."""
        told = [self._publish(bus, ResourcesListChanged()) for bus in self._buses]
        await asyncio.gather(*told, *(self._send(key, session) for key, session in self._sessions.items()))

    async def resources_updated(self, uris: Iterable[str]) -> None:
        """Tell who listens for one of these files, in the modern era; never raises for one that went away."""
        for uri in uris:
            await asyncio.gather(*(self._publish(bus, ResourceUpdated(uri)) for bus in self._buses))

    def close(self) -> None:
        """End the streams that were opened on handlers of ours, each with a result. They may be opened again."""
        for handler in self._listening:
            handler.close()

    async def _publish(self, bus: SubscriptionBus, event: ServerEvent) -> None:
        try:
            async with asyncio.timeout(self._send_within_s):
                await bus.publish(event)
        except Exception as error:
            # The bus may be the user's own, over a network; the catalogue has been swapped already.
            logger.warning("a subscription bus does not take %r: %r", event, error)

    async def _send(self, key: int, session: ServerSession) -> None:
        try:
            async with asyncio.timeout(self._send_within_s):
                await session.send_resource_list_changed()
        except Exception as error:
            logger.debug("a session is gone: %r", error)
            self._sessions.pop(key, None)

    async def _remember(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Keep the session of a handshake-era client from its `notifications/initialized` on."""
        result = await call_next(ctx)
        connection = ctx.session._connection  # pyright: ignore[reportPrivateUsage]
        is_reachable = connection.has_standalone_channel  # a stateless HTTP session is not
        if ctx.method == "initialize" and isinstance(result, dict) and is_reachable:
            return _with_list_changed(result)
        is_legacy = ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS
        is_ready = is_legacy and ctx.method == "notifications/initialized"
        if is_ready and is_reachable and len(self._sessions) < _MAX_SESSIONS:
            key = id(connection)
            self._sessions[key] = ctx.session
            connection.exit_stack.callback(self._sessions.pop, key, None)
        return result


def _with_list_changed(result: dict[str, Any]) -> dict[str, Any]:
    """An `initialize` result that promises what is kept: the SDK says False whoever tells."""
    capabilities = dict(result.get("capabilities") or {})
    capabilities["resources"] = {**(capabilities.get("resources") or {}), "listChanged": True}
    return {**result, "capabilities": capabilities}
