"""The journal: takes events at once, and writes them a moment later in a thread of its own.

Whoever records neither waits nor fails. What cannot be written, or comes faster than that, is dropped
and counted, and the log says so. A process that is killed loses the last moment, `EVERY_S`, and no more.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread

from gateway.audit.event import AuditEvent, as_line
from gateway.audit.sinks import FileSink, Sink, StreamSink

logger = logging.getLogger(__name__)

STDOUT = "-"
MAX_WAITING = 10_000
"""So many events wait to be written at the most."""
EVERY_S = 0.1
_BATCH = 64
"""Lines of one write: few, because the thread that serves waits while they are made."""
_TELL_EVERY_S = 60.0
_CLOSE_WITHIN_S = 5.0


class Journal:
    """Writes what is recorded to a sink, which is closed with it. One thread at a time records."""

    def __init__(
        self, sink: Sink, *, max_waiting: int = MAX_WAITING, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`now` is a clock that only goes forward, in s."""
        self._sink, self._max_waiting, self._now = sink, max_waiting, now
        self._waiting = deque[AuditEvent]()
        self._closing = Event()
        self._refused = self._failed = self._told = 0
        self._told_at: float | None = None
        self._is_failing = False
        self._thread = Thread(target=self._run, name="audit", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Events that were not written and never will be."""
        return self._refused + self._failed

    def record(self, event: AuditEvent) -> None:
        """Have an event written. Never waits, and raises nothing."""
        if len(self._waiting) >= self._max_waiting or self._closing.is_set():
            self._refused += 1
        else:
            self._waiting.append(event)

    def close(self, within_s: float = _CLOSE_WITHIN_S) -> None:
        """Write what waits, and end; what is not written in time is given up."""
        self._closing.set()
        self._thread.join(within_s)
        if self._thread.is_alive():
            logger.error("audit: given up with about %d events that could not be written in time", len(self._waiting))
        else:
            self._sink.close()

    def _run(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._closing.wait(EVERY_S)
            while self._waiting:
                self._write([self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))])
            self._tell_drops(is_last=is_last)

    def _write(self, events: list[AuditEvent]) -> None:
        try:
            self._sink.write([as_line(event) for event in events])
        except Exception as error:
            # The thread must live on: the disk that is full now may have room later.
            self._failed += len(events)
            if not self._is_failing:
                logger.error("audit: events cannot be written and are dropped: %s", error)
            self._is_failing = True
        else:
            if self._is_failing:
                logger.warning("audit: events are written again")
            self._is_failing = False

    def _tell_drops(self, *, is_last: bool) -> None:
        """At most once in a while, and at the end."""
        dropped = self.dropped
        is_time = self._told_at is None or self._now() - self._told_at >= _TELL_EVERY_S
        if dropped > self._told and (is_time or is_last):
            logger.error("audit: %d events were dropped, %d since the start", dropped - self._told, dropped)
            self._told, self._told_at = dropped, self._now()


@contextmanager
def open_journal(target: str, max_bytes: int, keep: int) -> Generator[Journal | None]:
    """A journal to a file, or to the standard output for `-`; None for an empty target.

    Sizes as of FileSink. Raises SettingsError when it cannot be opened. The end of the block waits for what is
    still to be written, some seconds at the most.
    """
    if not target:
        yield None
        return
    journal = Journal(StreamSink() if target == STDOUT else FileSink(target, max_bytes, keep))
    try:
        yield journal
    finally:
        journal.close()
