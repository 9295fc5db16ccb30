"""Resident memory of our server after it listed everything, page by page, with default settings."""

import time
from dataclasses import dataclass

from benchmarks.load import BadAnswer, ask
from benchmarks.processes import NotRun, Process, memory_bytes
from benchmarks.servers import Servers
from benchmarks.talk import say
from benchmarks.wire import Target, request_bytes, result_of

_SAY_EACH = 20_000
_WITHIN_S = 600.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes after the last of `pages`, and the most there ever were; `why_not` when it was not measured."""

    skills: int
    pages: int = 0
    resident_bytes: int = 0
    peak_bytes: int = 0
    why_not: str = ""


def measure_memory(servers: Servers, sizes: tuple[int, ...]) -> list[Memory]:
    """A fresh server for each size."""
    servers.store.fill_tree(max(sizes))
    return [_measured(servers, skills) for skills in sizes]


def _measured(servers: Servers, skills: int) -> Memory:
    say(f"memory: listing {skills:,} skills")
    try:
        with servers.gateway(servers.store.tree_prefix(skills), name="gateway-memory") as process:
            pages = _list_all(process, skills)
            resident, peak = memory_bytes(process.pid)
    except (NotRun, BadAnswer, ValueError, OSError) as reason:
        say(f"  not run: {reason}")
        return Memory(skills, why_not=str(reason))
    say(f"  {resident / 2**20:.1f} MiB resident, {peak / 2**20:.1f} MiB at the most, {pages} pages")
    return Memory(skills, pages, resident, peak)


def _list_all(process: Process, skills: int) -> int:
    """The number of pages. Raises ValueError when not every skill came exactly once, or not in time."""
    until = time.monotonic() + _WITHIN_S
    seen: set[str] = set()
    cursor: str | None = None
    pages = count = 0
    while pages == 0 or cursor:
        params = {"cursor": cursor} if cursor else {}
        target = Target("modern", "skills/list", params, process.port)
        result = result_of(*ask(process.port, request_bytes(target, pages)))
        seen.update(entry["uri"] for entry in result["skills"])
        before, count = count, count + len(result["skills"])
        if time.monotonic() > until:
            raise ValueError(f"{count:,} of {skills:,} skills were listed within {_WITHIN_S:g} s")
        cursor, pages = result.get("nextCursor"), pages + 1
        if before // _SAY_EACH < count // _SAY_EACH:
            say(f"  {count:,} listed")
    if not len(seen) == count == skills:
        raise ValueError(f"{count:,} entries of {len(seen):,} skills were listed, not {skills:,}")
    return pages
