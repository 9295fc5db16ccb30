"""Everything that one run found, and the ratios that matter in it; pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.calls import Calls
from benchmarks.cells import Cell
from benchmarks.cold import OURS as COLD_OURS
from benchmarks.cold import SYNCED, ColdStart
from benchmarks.cold import TYPESCRIPT as COLD_TYPESCRIPT
from benchmarks.figures import ratio
from benchmarks.lanes import BARE, FASTMCP, OURS, OURS_AUTH, RAW, TYPESCRIPT
from benchmarks.machine import Machine
from benchmarks.memory import Memory
from benchmarks.wire import ERAS, OPERATIONS, Era, Operation

# Of the server's CPU: ours as a part of the peer's.
_CPU_TARGETS: dict[tuple[Era, str], str] = {
    ("modern", TYPESCRIPT): "<= 0.5",
    ("modern", RAW): "<= 2",
    ("legacy", TYPESCRIPT): "<= 1",
}
_TARGET_SKILLS = 10_000


@dataclass(slots=True)
class Findings:
    """`seconds` is how long the run took; a part that was not asked for is empty."""

    machine: Machine
    is_quick: bool = False
    seconds: float = 0.0
    warm: list[Cell] = field(default_factory=list)
    cold: list[ColdStart] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    calls: list[Calls] = field(default_factory=list)
    calls_skills: int = 0


@dataclass(frozen=True, slots=True)
class Ratio:
    """`value` is None when a side was not measured; `target` is empty when there is none."""

    what: str
    value: float | None
    target: str = ""


def ratios_of(findings: Findings) -> list[Ratio]:
    """The ratios of the parts that ran, in the order of the table, and the cost of a token in microseconds."""
    return [
        *_cpu_ratios(findings.warm),
        *_token_costs(findings.warm),
        *_cold_ratios(findings.cold),
        *_memory_ratios(findings.memory),
    ]


def cell_of(cells: list[Cell], server: str, era: Era, operation: Operation) -> Cell | None:
    return next((cell for cell in cells if (cell.server, cell.era, cell.operation) == (server, era, operation)), None)


def _cpu_ratios(cells: list[Cell]) -> Iterator[Ratio]:
    if not cells:
        return
    for era in ERAS:
        for operation in OPERATIONS:
            ours = cell_of(cells, OURS, era, operation)
            for peer in (TYPESCRIPT, RAW, FASTMCP, BARE):
                theirs = cell_of(cells, peer, era, operation)
                value = ratio(ours and ours.cpu_us(), theirs and theirs.cpu_us())
                what = f"CPU of a warm `{operation}` ({era}), ours / {peer}"
                yield Ratio(what, value, _CPU_TARGETS.get((era, peer), ""))


def _token_costs(cells: list[Cell]) -> Iterator[Ratio]:
    """Differences, not ratios: what a token costs does not depend on what is asked."""
    for era, operation in ((era, operation) for era in ERAS for operation in OPERATIONS if cells):
        bare, with_token = (cell_of(cells, server, era, operation) for server in (OURS, OURS_AUTH))
        before, after = bare and bare.cpu_us(), with_token and with_token.cpu_us()
        value = None if before is None or after is None else after - before
        yield Ratio(f"CPU that a token adds to a warm `{operation}` ({era}), us", value, "<= 30")


def _cold_ratios(rows: list[ColdStart]) -> Iterator[Ratio]:
    for skills in sorted({row.skills for row in rows}):
        found = {row.server: row for row in rows if row.skills == skills}
        ours, loading, synced = found[COLD_OURS], found[COLD_TYPESCRIPT], found[SYNCED]
        times = f"times sooner to the first page of {skills:,} skills, ours than"
        targets = (">= 50", ">= 8", ">= 5") if skills == _TARGET_SKILLS else ("", "", "")
        pairs = (
            (f"{COLD_TYPESCRIPT}, from loading on", loading.from_loading_s(), ours.from_loading_s()),
            (f"{COLD_TYPESCRIPT}, from the process's start", loading.from_process_s(), ours.from_process_s()),
            (f"{SYNCED}, from the process's start", synced.from_process_s(), ours.from_process_s()),
        )
        for (peer, theirs, mine), target in zip(pairs, targets, strict=True):
            yield Ratio(f"{times} {peer}", ratio(theirs, mine), target)


def _memory_ratios(rows: list[Memory]) -> Iterator[Ratio]:
    if not rows:
        return
    least = rows[0]
    for row in rows[1:]:
        value = ratio(row.resident_bytes or None, least.resident_bytes or None)
        what = f"resident memory after listing {row.skills:,} skills / after {least.skills:,}"
        yield Ratio(what, value, "<= 1.2")
