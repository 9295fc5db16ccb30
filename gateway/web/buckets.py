"""Token buckets: so many requests a minute for each key, and some at once after a pause. Pure but for the clock."""

import time
from collections.abc import Callable, Hashable

from cachetools import LRUCache

_REMEMBERED = 10_000
_LEAST_BURST = 10.0
_BURST_MINUTES = 0.1


class Buckets:
    """One bucket for each key. Who was forgotten for the sake of others begins with a full one.

    `per_minute` is how many tokens a bucket gets in a minute; it holds those of 6 seconds, at least 10. `now`
    is a clock that only goes forward, in s.
    """

    def __init__(self, per_minute: float, now: Callable[[], float] = time.monotonic) -> None:
        self._per_s, self._now = per_minute / 60, now
        self._size = max(_LEAST_BURST, per_minute * _BURST_MINUTES)
        self._left = LRUCache[Hashable, tuple[float, float]](_REMEMBERED)

    def take(self, key: Hashable) -> float:
        """Take a token: 0.0 when there was one, else the seconds until there is."""
        now = self._now()
        left, since = self._left.get(key, (self._size, now))
        left = min(self._size, left + (now - since) * self._per_s)
        if left < 1:
            self._left[key] = (left, now)
            return (1 - left) / self._per_s
        self._left[key] = (left - 1, now)
        return 0.0
