"""A journal that can be read: its lines in a list."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gateway.audit.event import AuditEvent
from gateway.audit.journal import Journal


@dataclass
class ListSink:
    """Keeps lines in memory; an `error` is raised instead."""

    lines: list[bytes] = field(default_factory=list)
    error: OSError | None = None
    is_closed: bool = False

    def write(self, lines: Sequence[bytes]) -> None:
        if self.error is not None:
            raise self.error
        self.lines += lines

    def close(self) -> None:
        self.is_closed = True


@dataclass
class Kept:
    """A journal, and after the block what it wrote: each line as an object."""

    journal: Journal
    lines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The lines without what is never the same twice, and those of their fields that say something."""
        return [
            {name: value for name, value in line.items() if name not in {"time", "latency_ms"} and value is not None}
            for line in self.lines
        ]


@contextmanager
def kept() -> Iterator[Kept]:
    sink = ListSink()
    found = Kept(Journal(sink))
    try:
        yield found
    finally:
        found.journal.close()
        found.lines += [json.loads(line) for line in sink.lines]


def event(number: int = 0, **fields: Any) -> AuditEvent:
    """An event that is told by its number of items."""
    values = {"principal": ("", "", ""), "variant": "", "method": "skills/list", "result": "ok", "items": number}
    return AuditEvent(1_800_000_000.25, 0.0015, **{**values, **fields})
