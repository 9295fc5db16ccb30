"""`subscriptions/listen` for what its caller may see, and no longer than its token is good.

The SDK's own handler asks nobody who listens. Here it is told of no file whose skill the caller is not
served, hidden or absent alike; that the list changed says nothing of what did. Source: MCP 2026-07-28,
Subscriptions.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import ListenHandler
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.caller import current_caller
from gateway.protocol.faults import to_mcp_error


class Listening:
    """Wraps `handler`, which is given no more than the callers of `adapter` are. `clock` is that of Unix."""

    def __init__(
        self, handler: ListenHandler, adapter: SkillsAdapter, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._handler, self._adapter, self._clock = handler, adapter, clock

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        asked = params.notifications
        if asked.resource_subscriptions:
            try:
                async with asyncio.timeout(self._adapter.options.request_timeout_s):
                    served = await self._served(asked.resource_subscriptions)
            except Exception as error:
                raise to_mcp_error(error, "subscriptions/listen") from error
            wanted = asked.model_copy(update={"resource_subscriptions": served})
            params = params.model_copy(update={"notifications": wanted})
        try:
            async with asyncio.timeout(self._left_s()):
                return await self._handler(ctx, params)
        except TimeoutError:
            return SubscriptionsListenResult(_meta={SUBSCRIPTION_ID_META_KEY: ctx.request_id})

    async def _served(self, uris: list[str]) -> list[str]:
        caller = current_caller()
        return [uri for uri in dict.fromkeys(uris) if await self._adapter.owner_of(uri, caller) is not None]

    def _left_s(self) -> float | None:
        """Until the caller's token expires; None when it has none, or one that does not."""
        token = get_access_token()
        if token is None or token.expires_at is None:
            return None
        return max(0.0, token.expires_at - self._clock())
