"""The findings as Markdown, ratios first, between the markers of the README; pure."""

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.calls import Count
from benchmarks.cells import CONNECTIONS, Cell
from benchmarks.figures import is_met
from benchmarks.findings import Findings, Ratio, ratios_of

START, END = "<!-- bench:start -->", "<!-- bench:end -->"
_VERDICTS = {True: "met", False: "**missed**", None: ""}


def report(findings: Findings) -> str:
    """The whole table; a part that did not run is not in it, a peer that did not run is, with the reason."""
    machine = f"Measured on {findings.machine.sentence()}, in {findings.seconds / 60:.0f} minutes."
    ratios = ratios_of(findings)
    parts = [
        machine + (" A quick run: small sizes, short rounds." if findings.is_quick else ""),
        *_ratios([one for one in ratios if one.target], ("Ratio", "Measured", "Target", "")),
        *_ratios([one for one in ratios if not one.target], ("Ratio without a target", "Measured")),
        *_warm(findings),
        *_cold(findings),
        *_memory(findings),
        *_calls(findings),
    ]
    return "\n\n".join([START, *parts, END])


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _ratios(ratios: Sequence[Ratio], heading: Sequence[str]) -> Iterator[str]:
    rows = [(one.what, _number(one.value), one.target, _VERDICTS[is_met(one.value, one.target)]) for one in ratios]
    if rows:
        yield _table(heading, [row[: len(heading)] for row in rows])


def _number(value: float | None) -> str:
    """Fine enough to tell a target just met from one just missed."""
    if value is None:
        return "not measured"
    return f"{value:.0f}" if value >= 10 else f"{value:.3f}"


def _warm(findings: Findings) -> Iterator[str]:
    if not findings.warm:
        return
    most, one = CONNECTIONS
    yield (
        f"Warm requests, the same {_catalogue(findings.warm)} for all. CPU of the server for each request and "
        f"requests/s with {most} under way; latency p50/p95/p99 in ms with {most} and with {one}. Medians over the "
        "rounds; server and load each on a core of its own. Ours is asked inside its freshness window."
    )
    heading = ("Request", "Server", "CPU, us", "Requests/s", f"Latency, {most}", f"Latency, {one}")
    yield _table(heading, (_warm_row(cell) for cell in sorted(findings.warm, key=lambda cell: (cell.era != "modern",))))


def _catalogue(cells: list[Cell]) -> str:
    sizes = [cell.answer_bytes for cell in cells if cell.operation == "skills/list" and cell.answer_bytes]
    return f"50 skills ({sizes[0] / 1000:.0f} kB of `skills/list`)" if sizes else "50 skills"


def _warm_row(cell: Cell) -> Sequence[str]:
    name = f"`{cell.operation}` ({cell.era})"
    cpu_us, per_s = cell.cpu_us(), cell.per_s()
    if cpu_us is None or per_s is None:
        return name, cell.server, f"not run: {cell.why_not[:160]}", "", "", ""
    latencies = [" / ".join(f"{value:.2f}" for value in cell.latency_ms(count) or ()) for count in CONNECTIONS]
    return name, cell.server, f"{cpu_us:.0f}", f"{per_s:,.0f}", *latencies


def _cold(findings: Findings) -> Iterator[str]:
    if not findings.cold:
        return
    yield (
        "Cold start to the whole first page of 50 skills of two files each, in an object store on this machine: from "
        "the start of the process, and from when it begins to load (ours: from when it can be asked)."
    )
    rows: list[Sequence[str]] = []
    for row in findings.cold:
        process, loading = row.from_process_s(), row.from_loading_s()
        if process is None or loading is None:
            rows.append((f"{row.skills:,}", row.server, f"not run: {row.why_not[:160]}", ""))
        else:
            rows.append((f"{row.skills:,}", row.server, f"{process:.2f} s", f"{loading:.2f} s"))
    yield _table(("Skills", "Way", "From the process's start", "From loading"), rows)


def _memory(findings: Findings) -> Iterator[str]:
    if not findings.memory:
        return
    yield "Memory of the gateway with default settings, after it listed every skill page by page."
    rows = [
        (f"{row.skills:,}", f"not run: {row.why_not[:160]}", "")
        if row.why_not
        else (f"{row.skills:,}", f"{row.resident_bytes / 2**20:.1f} MiB", f"{row.peak_bytes / 2**20:.1f} MiB")
        for row in findings.memory
    ]
    yield _table(("Skills", "Resident", "Peak"), rows)


def _calls(findings: Findings) -> Iterator[str]:
    if not findings.calls:
        return
    yield (
        f"What the gateway asks of the object store, over {findings.calls_skills:,} skills; the store keeps SHA-256 "
        "checksums."
    )
    heading = ("Operation", "Calls", "Lists", "HEADs", "GETs", "Bytes of objects", "Keys listed")
    rows = [
        (f"`{one.operation}`, {one.moment}", *(f"{value:,}" for value in _numbers(one.count))) for one in findings.calls
    ]
    yield _table(heading, rows)


def _numbers(count: Count) -> tuple[int, ...]:
    return count.calls, count.lists, count.heads, count.gets, count.sent_bytes, count.listed
