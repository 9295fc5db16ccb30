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
        self._served: tuple[str, str] | None = None

    def see(self, status: SourceStatus) -> None:
        for fill in status.fills:
            self._see_cache(fill)
        if status.skills is not None:
            of.SKILLS.labels(self._variant).set(status.skills)
        if status.kind == "releases":
            self._see_releases(status)
        of.FAILING.labels(self._variant).set(status.failure is not None)
        refused = Counter(problem.code for problem in status.problems)
        # What is mended stays as a 0.
        self._refused.update(refused)
        for code in self._refused:
            of.REFUSED.labels(self._variant, code).set(refused[code])

    def _see_releases(self, status: SourceStatus) -> None:
        if status.released_at is not None:
            of.RELEASED_AT.labels(self._variant).set(status.released_at.timestamp())
        if status.looked_at is not None:
            of.LOOKED_AT.labels(self._variant).set(status.looked_at.timestamp())
        for reason, count in status.failed_looks.items():
            of.FAILED_LOOKS.labels(self._variant, reason).inc(self._growth.of(("look", reason), count))
        self._see_release((status.channel, status.release) if status.release else None)

    def _see_release(self, served: tuple[str, str] | None) -> None:
        before, self._served = self._served, served
        if served is not None:
            of.RELEASE_INFO.labels(self._variant, *served).set(1)
        if before is not None and before != served:
            # A file that workers share keeps the row: as 0, which no scrape tells.
            of.RELEASE_INFO.labels(self._variant, *before).set(0)
            if not of.IS_SHARED:
                of.RELEASE_INFO.remove(self._variant, *before)

    def _see_cache(self, fill: Fill) -> None:
        cache = (self._variant, fill.name)
        of.CACHE_BYTES.labels(*cache).set(fill.used_bytes)
        of.CACHE_LIMIT_BYTES.labels(*cache).set(fill.limit_bytes)
        for seen in fill.lookups:
            for outcome, count in (("hit", seen.hits), ("miss", seen.misses)):
                # None is a 0, so that a rate has something to begin at.
                more = self._growth.of((fill.name, seen.kind, outcome), count)
                of.CACHE_LOOKUPS.labels(*cache, seen.kind, outcome).inc(more)
