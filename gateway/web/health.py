"""`/livez` and `/readyz`.

Alive: this process answers. Ready: the store answered within the last few seconds; asked at most once
in that time however many ask us. What is wrong is readable in the answer, in words for an operator,
without secrets.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse

from gateway.errors import GatewayError

READY_CACHE_S = 5.0

logger = logging.getLogger(__name__)

AskStore = Callable[[], Awaitable[object]]


class Health:
    """Health of one app. `ask` raises GatewayError when the store cannot serve."""

    def __init__(self, ask: AskStore, *, timeout_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._timeout_s, self._now = ask, timeout_s, now
        self._lock = asyncio.Lock()
        self._checked_at: float | None = None
        self._answer: tuple[int, dict[str, str]] = (503, {})

    async def live(self, request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    async def ready(self, request: Request) -> JSONResponse:
        status, body = await self.verdict()
        return JSONResponse(body, status, headers={"Cache-Control": "no-store"})

    async def verdict(self) -> tuple[int, dict[str, str]]:
        """Whether the store is there: status and body of the answer."""
        async with self._lock:
            if self._checked_at is None or self._now() - self._checked_at >= READY_CACHE_S:
                before, self._answer = self._answer, await self._check()
                self._checked_at = self._now()
                self._tell(before)
        return self._answer

    def _tell(self, before: tuple[int, dict[str, str]]) -> None:
        """One line of the log when the answer changes, none while it stays."""
        status, body = self._answer
        if status != 200 and self._answer != before:
            logger.warning("not ready: %s: %s", body["reason"], body["detail"])
        elif status == 200 and before[1].get("status") == "unavailable":
            logger.info("ready again")

    async def _check(self) -> tuple[int, dict[str, str]]:
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._ask()
        except GatewayError as error:
            return 503, {"status": "unavailable", "reason": error.reason, "detail": str(error)}
        except TimeoutError:
            detail = f"the store did not answer within {self._timeout_s:g} seconds"
            return 503, {"status": "unavailable", "reason": "store_unavailable", "detail": detail}
        except Exception:
            logger.exception("asking the store: unexpected error")
            return 503, {"status": "unavailable", "reason": "internal", "detail": "unexpected error; see the log"}
        return 200, {"status": "ok"}
