"""What is counted and known anyway, looked at every few seconds: so it costs a request nothing."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain

from gateway.audit.journal import Journal
from gateway.metrics import instruments as of
from gateway.metrics.growth import Growth
from gateway.metrics.meters import method_label
from gateway.metrics.sources import SourceMeter
from gateway.objects import Pace
from gateway.provider import DEFAULT_VARIANT
from gateway.web.capacity import Load
from gateway.web.denials import EARLY, Denials
from gateway.web.view import View

EVERY_S = 2.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sampler:
    """Of one app. `sample` brings the metrics up to what is so now."""

    views: Mapping[str, View]
    pace: Callable[[], Pace | None]
    denials: Denials
    load: Load
    journal: Journal | None
    _growth: Growth = field(default_factory=Growth)
    _sources: dict[str, SourceMeter] = field(default_factory=dict[str, SourceMeter])

    def __post_init__(self) -> None:
        self._sources.update((name, SourceMeter(name or DEFAULT_VARIANT)) for name in self.views)

    def sample(self) -> None:
        self._count_requests()
        for reason, count in chain(self.denials.counts.items(), EARLY.counts.items()):
            of.DENIALS.labels(reason).inc(self._growth.of(("denial", reason), count))
        if self.journal is not None:
            of.AUDIT_DROPPED.inc(self._growth.of(("audit",), self.journal.dropped))
        of.IN_FLIGHT.set(self.load.requests)
        of.STREAMS.set(self.load.streams)
        self._set_pace()
        for name, view in self.views.items():
            self._sources[name].see(view.status())

    def _count_requests(self) -> None:
        for name, view in self.views.items():
            if view.lane is None:
                continue
            for (method, is_modern), count in view.lane.hits.items():
                more = self._growth.of(("hit", name, method, str(is_modern)), count)
                era = "modern" if is_modern else "legacy"
                of.REQUESTS.labels(name or DEFAULT_VARIANT, method_label(method), era, "ok", "memory").inc(more)

    def _set_pace(self) -> None:
        if (pace := self.pace()) is None:
            return
        of.CALLS_IN_FLIGHT.set(pace.taken)
        of.CALLS_WAITING.set(pace.waiting)
        of.CALLS_ALLOWED.set(pace.allowed)
        of.CALLS_MOST.set(pace.most)


@asynccontextmanager
async def sampling(sampler: Sampler) -> AsyncGenerator[None]:
    """Sample now, every few seconds in the block, and at its end."""

    async def repeat() -> None:
        while True:
            try:
                sampler.sample()
            except Exception:
                logger.exception("metrics: could not be brought up to date")
            await asyncio.sleep(EVERY_S)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        sampler.sample()
