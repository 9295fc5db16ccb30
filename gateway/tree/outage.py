"""Whether the store is failing, as far as requests have seen.

After a failure the store is left alone for a moment, in which remembered answers are given without
asking: a store that is slow would otherwise hold every request up. One log line when it begins, one
when it is over.
"""

import logging
from collections.abc import Callable

PAUSE_S = 5.0
"""For so long after a failure nobody asks who has an answer."""

logger = logging.getLogger(__name__)


class Outage:
    """The state of one store. `stale_answers` counts those given in its place."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._paused_until: float | None = None
        self.stale_answers = 0

    @property
    def is_paused(self) -> bool:
        return self._paused_until is not None and self._now() < self._paused_until

    def begin(self, error: Exception) -> None:
        """The store failed somebody who has an old answer."""
        if self._paused_until is None:
            logger.warning("the store fails or is slow; answers that are remembered go on being served: %s", error)
        self._paused_until = self._now() + PAUSE_S

    def end(self) -> None:
        """The store answered."""
        if self._paused_until is not None:
            logger.info("the store answers again; %d answers were given from memory", self.stale_answers)
            self._paused_until, self.stale_answers = None, 0
