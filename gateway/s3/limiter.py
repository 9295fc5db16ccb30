"""How many calls may be under way at once: fewer when the store asks for it, more again as it answers.

Additive increase, multiplicative decrease, as congestion control does it: the store that serves all
replicas finds its own pace without any of them knowing of the others. `Allowance` is the arithmetic and
pure; `Limiter` gives out places in the order they were asked for. The time is handed in.
Source: RFC 5681 section 3.1; S3 user guide, "Optimizing Amazon S3 performance" (503 Slow Down).
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import inf

from gateway.objects import Pace

_log = logging.getLogger(__name__)

CUT_INTERVAL_S = 1.0
"""Calls that are under way together are refused together: what comes so soon after a cut is the same news."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """`allowed` calls at once, of `most`; `earned` answers count towards the next one."""

    most: int
    allowed: int
    earned: int = 0
    cut_at_s: float = -inf

    @property
    def is_whole(self) -> bool:
        return self.allowed == self.most

    def after_answer(self) -> "Allowance":
        """One more is allowed after as many answers as are allowed: about one for each round trip."""
        if self.is_whole:
            return self
        if self.earned + 1 < self.allowed:
            return Allowance(self.most, self.allowed, self.earned + 1, self.cut_at_s)
        return Allowance(self.most, self.allowed + 1, 0, self.cut_at_s)

    def after_refusal(self, now_s: float) -> "Allowance":
        """Half is allowed, and never none; nothing changes within `CUT_INTERVAL_S` of the last cut."""
        if now_s - self.cut_at_s < CUT_INTERVAL_S:
            return self
        return Allowance(self.most, max(1, self.allowed // 2), 0, now_s)


class Limiter:
    """Places for calls, first come, first served. Belongs to the loop it is used on."""

    def __init__(self, most: int) -> None:
        self._allowance = Allowance(most, most)
        self._taken = 0
        # While anybody waits, every allowed place is taken; the cancelled may linger here until their turn.
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def allowed(self) -> int:
        """How many calls may be under way now. After a cut there may be more, until they end."""
        return self._allowance.allowed

    @property
    def pace(self) -> Pace:
        waiting = sum(not turn.done() for turn in self._waiting)
        return Pace(self._taken, waiting, self.allowed, self._allowance.most)

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[None]:
        """A place for the length of the block, after those who asked sooner."""
        await self._take()
        try:
            yield
        finally:
            self._give_back()

    def answered(self) -> None:
        """The store answered a request and did not ask for fewer."""
        before, self._allowance = self._allowance, self._allowance.after_answer()
        if before is self._allowance:
            return
        if self._allowance.is_whole:
            _log.info("the store keeps up again: %d calls at once", self.allowed)
        self._hand_out()

    def refused(self, now_s: float) -> None:
        """The store asked for fewer requests, at `now_s` on a clock that never goes back."""
        before, self._allowance = self._allowance, self._allowance.after_refusal(now_s)
        if before.is_whole and not self._allowance.is_whole:
            _log.warning("the store asks for fewer requests: %d calls at once, not %d", self.allowed, before.allowed)

    async def _take(self) -> None:
        if self._taken < self.allowed:
            self._taken += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # The place may have been handed over in the moment of the cancellation: it goes to the next.
            if not turn.cancelled():
                self._give_back()
            raise

    def _give_back(self) -> None:
        self._taken -= 1
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._taken < self.allowed:
            turn = self._waiting.popleft()
            if not turn.done():
                self._taken += 1
                turn.set_result(None)
