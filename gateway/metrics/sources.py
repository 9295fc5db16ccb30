"""The metrics of one source, brought up to what its status says."""

from collections import Counter

from gateway.memory.shelves import Fill
from gateway.metrics import instruments as of
from gateway.metrics.growth import Growth
from gateway.web.status import SourceStatus


class SourceMeter:
    """Of the source of one variant."""

    def __init__(self, variant: str) -> None:
        self._variant = variant
        self._growth = Growth()
        self._refused: set[str] = set()

    def see(self, status: SourceStatus) -> None:
        for fill in status.fills:
            self._see_cache(fill)
        if status.skills is not None:
            of.SKILLS.labels(self._variant).set(status.skills)
        if status.released_at is not None:
            of.RELEASED_AT.labels(self._variant).set(status.released_at.timestamp())
        of.FAILING.labels(self._variant).set(status.failure is not None)
        refused = Counter(problem.code for problem in status.problems)
        # What is mended stays as a 0.
        self._refused.update(refused)
        for code in self._refused:
            of.REFUSED.labels(self._variant, code).set(refused[code])

    def _see_cache(self, fill: Fill) -> None:
        cache = (self._variant, fill.name)
        of.CACHE_BYTES.labels(*cache).set(fill.used_bytes)
        of.CACHE_LIMIT_BYTES.labels(*cache).set(fill.limit_bytes)
        for seen in fill.lookups:
            for outcome, count in (("hit", seen.hits), ("miss", seen.misses)):
                # None is a 0, so that a rate has something to begin at.
                more = self._growth.of((fill.name, seen.kind, outcome), count)
                of.CACHE_LOOKUPS.labels(*cache, seen.kind, outcome).inc(more)
