"""Requests that were turned away at the door, counted by reason.

The log gets a line when a reason shows, and then once in a while with how many there were: a flood of
requests must not become one of log lines.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable

logger = logging.getLogger(__name__)

_TELL_EVERY_S = 60.0


class Denials:
    """Counts of one process. `now` is a clock that only goes forward, in s."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self.counts = Counter[str]()
        self._told = dict[str, tuple[float, int]]()

    def count(self, reason: str, detail: str = "", *, level: int = logging.WARNING) -> None:
        """One more. `detail` is for the log: nothing secret, and nothing that a caller chose."""
        self.counts[reason] += 1
        told_at, told = self._told.get(reason, (-_TELL_EVERY_S, 0))
        if self._now() - told_at >= _TELL_EVERY_S:
            count = self.counts[reason]
            logger.log(level, "turned away: %s%s (%d more, %d in all)", reason, detail, count - told, count)
            self._told[reason] = (self._now(), count)


EARLY = Denials()
"""Of this process: who was turned away before there was a request, by whoever reads them off the connection."""
