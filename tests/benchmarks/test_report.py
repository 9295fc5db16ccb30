"""Findings as ratios and as a table, from values made by hand."""

from benchmarks.calls import Calls, Count
from benchmarks.cells import Cell, Round
from benchmarks.cold import OURS as COLD_OURS
from benchmarks.cold import SYNCED, ColdStart, Start
from benchmarks.cold import TYPESCRIPT as COLD_TYPESCRIPT
from benchmarks.findings import Findings, Ratio, ratios_of
from benchmarks.lanes import OURS, RAW, TYPESCRIPT
from benchmarks.machine import Machine
from benchmarks.memory import Memory
from benchmarks.report import END, START, report

MACHINE = Machine("2026-12-01", 2, "a CPU", 24.0, "Linux 6.18", "3.11.7", "24.19.0")


def cell(server: str, *cpu_us: float, why_not: str = "") -> Cell:
    rounds = [Round(16, 1000, 2.0, value / 1000, 0.1, 1.0, 2.0, 3.0) for value in cpu_us]
    return Cell(server, "modern", "skills/list", 20_000, rounds, why_not)


def test_cpu_is_the_median_of_the_rounds_and_compared_with_each_peer() -> None:
    """[ours]"""
    warm = [cell(OURS, 90, 100, 500), cell(TYPESCRIPT, 400), cell(RAW, why_not="no core left")]
    found = [one for one in ratios_of(Findings(MACHINE, warm=warm)) if "`skills/list` (modern)" in one.what]
    what = "CPU of a warm `skills/list` (modern), ours / "
    assert found[:2] == [
        Ratio(f"{what}TypeScript SDK 2.4.0", 0.25, "<= 0.5"),
        Ratio(f"{what}raw ASGI", None, "<= 2"),
    ]


def test_a_cell_that_broke_off_has_no_figures() -> None:
    """[ours] Rounds before the fault were measured on a server that was about to fail."""
    broken = cell(OURS, 90, why_not="status 500")
    assert (broken.cpu_us(), broken.per_s(), broken.latency_ms(16)) == (None, None, None)


def test_the_first_page_is_compared_from_loading_and_from_the_process_start() -> None:
    """[ours]"""
    cold = [
        ColdStart(COLD_OURS, 10_000, [Start(2.0, 0.5)]),
        ColdStart(COLD_TYPESCRIPT, 10_000, [Start(40.0, 30.0)]),
        ColdStart(SYNCED, 10_000, [], "no network"),
    ]
    values = [(one.value, one.target) for one in ratios_of(Findings(MACHINE, cold=cold))]
    assert values == [(60.0, ">= 50"), (20.0, ">= 8"), (None, ">= 5")]


def test_memory_is_compared_with_the_smallest_catalogue() -> None:
    """[ours]"""
    memory = [Memory(100, 2, 100_000, 100_000), Memory(10_000, 200, 110_000, 120_000), Memory(100_000, why_not="x")]
    assert [one.value for one in ratios_of(Findings(MACHINE, memory=memory))] == [1.1, None]


def test_the_table_stands_between_its_markers_with_the_machine_and_the_ratios_first() -> None:
    """[ours]"""
    table = report(
        Findings(MACHINE, seconds=600.0, memory=[Memory(100, 2, 2**20, 2**21), Memory(1000, 20, 2**21, 2**21)])
    )
    assert table.split("\n\n") == [
        START,
        "Measured on 2026-12-01, 2 cores of a CPU, 24 GiB of memory, Linux 6.18, Python 3.11.7, Node 24.19.0, "
        "in 10 minutes.",
        "| Ratio | Measured | Target |  |\n| --- | --- | --- | --- |\n"
        "| resident memory after listing 1,000 skills / after 100 | 2.000 | <= 1.2 | **missed** |",
        "Memory of the gateway with default settings, after it listed every skill page by page.",
        "| Skills | Resident | Peak |\n| --- | --- | --- |\n| 100 | 1.0 MiB | 2.0 MiB |\n| 1,000 | 2.0 MiB | 2.0 MiB |",
        END,
    ]


def test_a_peer_that_did_not_run_is_in_the_table_with_the_reason() -> None:
    """[ours]"""
    findings = Findings(MACHINE, warm=[cell(TYPESCRIPT, why_not="npm had no network | today")])
    row = "| `skills/list` (modern) | TypeScript SDK 2.4.0 | not run: npm had no network \\| today |  |  |  |"
    assert row in report(findings).splitlines()


def test_calls_are_counted_by_kind() -> None:
    """[ours]"""
    calls = [Calls("skills/get", "cold", Count(lists=1, heads=1, gets=2, sent_bytes=4109, listed=2))]
    findings = Findings(MACHINE, calls=calls, calls_skills=1000)
    assert "| `skills/get`, cold | 4 | 1 | 1 | 2 | 4,109 | 2 |" in report(findings).splitlines()
