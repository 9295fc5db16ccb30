"""Warm requests: one server after the other answers the same request, in rounds, each on one core.

The load is on another core. Every round asks each server in each cell, and the order turns from round
to round, so that a slow minute of the machine hits all of them. Each measurement comes after a short
one that is thrown away: ours then answers inside its freshness window, as the peers always do.
"""

from collections.abc import Sequence
from contextlib import ExitStack

from benchmarks.cells import CONNECTIONS, Cell, Round
from benchmarks.figures import percentile
from benchmarks.lanes import Lane, look_at, start_lanes
from benchmarks.load import BadAnswer, drive
from benchmarks.processes import LOAD_CORE, Process, cpu_s, on_core
from benchmarks.servers import Servers
from benchmarks.talk import say
from benchmarks.wire import ERAS, OPERATIONS, Era, Operation, requests_of

_SETTLE_S = 0.1
_WARM_UP_S = 0.7
_SECONDS_SHARE = {16: 1.0, 1: 0.4}


def measure_warm(servers: Servers, *, rounds: int, seconds: float) -> list[Cell]:
    """Every cell of every server; those of a server that does not start say why."""
    servers.store.fill_warm()
    with ExitStack() as stack:
        lanes, cells = start_lanes(servers, stack)
        keyed: dict[tuple[str, Era, Operation], Cell] = {
            (cell.server, cell.era, cell.operation): cell for cell in cells
        }
        with on_core(LOAD_CORE):
            for lane in lanes:
                look_at(lane, keyed)
            for number in range(-1, rounds):
                say(f"warm requests: round {number + 1} of {rounds}" if number >= 0 else "warm requests: warming up")
                turned = lanes[number % len(lanes) :] + lanes[: number % len(lanes)]
                for era, operation in ((era, operation) for era in ERAS for operation in OPERATIONS):
                    for lane in turned:
                        _visit(lane, keyed[lane.name, era, operation], seconds, keeps=number >= 0)
    return cells


def _visit(lane: Lane, cell: Cell, seconds: float, *, keeps: bool) -> None:
    """Measure one cell once; the first visits are the warm-up, and are not kept."""
    if cell.why_not:
        return
    port, requests = lane.process.port, requests_of(lane.target(cell.era, cell.operation))
    try:
        if not keeps:
            drive(port, requests, connections=CONNECTIONS[0], for_s=min(seconds, _WARM_UP_S))
            return
        for connections in CONNECTIONS:
            for_s = seconds * _SECONDS_SHARE[connections]
            cell.rounds.append(_measured(lane.process, requests, connections, for_s))
    except (BadAnswer, OSError) as reason:
        cell.why_not = str(reason)
        say(f"  {lane.name}, {cell.operation} ({cell.era}): {reason}")


def _measured(process: Process, requests: Sequence[bytes], connections: int, for_s: float) -> Round:
    drive(process.port, requests, connections=connections, for_s=_SETTLE_S)
    before = cpu_s(process.pid)
    load = drive(process.port, requests, connections=connections, for_s=for_s)
    spent = cpu_s(process.pid) - before
    p50, p95, p99 = (percentile(load.latencies, percent) * 1e3 for percent in (50, 95, 99))
    return Round(connections, len(load.latencies), load.took_s, spent, load.client_cpu_s, p50, p95, p99)
