"""What was seen of the warm requests: one cell for each server, era and operation."""

from dataclasses import dataclass, field

from benchmarks.figures import median
from benchmarks.wire import Era, Operation

CONNECTIONS = (16, 1)
"""Requests under way at once: the first for rates and CPU, both for latencies."""


@dataclass(frozen=True, slots=True)
class Round:
    """One measurement: so many requests with so many under way, and what the server spent on them."""

    connections: int
    requests: int
    took_s: float
    server_cpu_s: float
    client_cpu_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(slots=True)
class Cell:
    """One server, era and operation. `why_not` is why there are no rounds, or no more of them."""

    server: str
    era: Era
    operation: Operation
    answer_bytes: int = 0
    rounds: list[Round] = field(default_factory=list)
    why_not: str = ""

    def cpu_us(self) -> float | None:
        """Median over the rounds of the server's CPU for each request."""
        spent = [one.server_cpu_s / one.requests for one in self._with(CONNECTIONS[0])]
        return median(spent) * 1e6 if spent else None

    def client_cpu_us(self) -> float | None:
        spent = [one.client_cpu_s / one.requests for one in self._with(CONNECTIONS[0])]
        return median(spent) * 1e6 if spent else None

    def per_s(self) -> float | None:
        rates = [one.requests / one.took_s for one in self._with(CONNECTIONS[0])]
        return median(rates) if rates else None

    def latency_ms(self, connections: int) -> tuple[float, float, float] | None:
        """Medians over the rounds of the 50th, 95th and 99th percentile."""
        found = self._with(connections)
        if not found:
            return None
        names = ("p50_ms", "p95_ms", "p99_ms")
        p50, p95, p99 = (median([getattr(one, name) for one in found]) for name in names)
        return p50, p95, p99

    def _with(self, connections: int) -> list[Round]:
        return [] if self.why_not else [one for one in self.rounds if one.connections == connections]
