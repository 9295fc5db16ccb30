"""Cold start: how long until the first page of a catalogue that lies in an object store is there.

Three ways to serve it: ours, which asks for a page; the TypeScript SDK, which loads the catalogue
from S3 first; and a download of the whole prefix with FastMCP started on the folder. Every start is
a new process with empty caches, on both cores, over the same store in the same run.
"""

import http.client
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figures import median
from benchmarks.load import BadAnswer, ask
from benchmarks.processes import NotRun, Process
from benchmarks.servers import PAGE_SIZE, Servers, python_path, python_program
from benchmarks.store import BUCKET
from benchmarks.talk import say
from benchmarks.wire import Target, request_bytes, result_of

OURS = "skills-gateway"
TYPESCRIPT = "TypeScript SDK, loading from S3"
SYNCED = "download, then FastMCP"


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds to the whole first page: since the process began, and since it began to load or could be asked."""

    from_process_s: float
    from_loading_s: float


@dataclass(slots=True)
class ColdStart:
    """One way to serve a catalogue of `skills`. `why_not` is why it has no starts."""

    server: str
    skills: int
    starts: list[Start] = field(default_factory=list)
    why_not: str = ""

    def from_process_s(self) -> float | None:
        return median([one.from_process_s for one in self.starts]) if self.starts else None

    def from_loading_s(self) -> float | None:
        return median([one.from_loading_s for one in self.starts]) if self.starts else None


def measure_cold(servers: Servers, sizes: tuple[int, ...], *, rounds: int, within_s: float) -> list[ColdStart]:
    """Each way at each size; the slow ones once at the largest."""
    servers.store.fill_tree(max(sizes))
    found: list[ColdStart] = []
    for skills in sizes:
        rows = [ColdStart(name, skills) for name in (OURS, TYPESCRIPT, SYNCED)]
        found.extend(rows)
        for number in range(rounds):
            for row, start in zip(rows, (_ours, _typescript, _synced), strict=True):
                if row.why_not or (number and row.server != OURS and skills == max(sizes)):
                    continue
                say(f"cold start: {row.server}, {skills:,} skills, round {number + 1}")
                _add(row, lambda start=start, skills=skills: start(servers, skills, within_s))
    return found


def _add(row: ColdStart, start: Callable[[], Start]) -> None:
    try:
        one = start()
    except (NotRun, BadAnswer, ValueError, OSError, http.client.HTTPException) as reason:
        row.why_not = str(reason)
        say(f"  not run: {reason}")
    else:
        row.starts.append(one)
        say(f"  {one.from_process_s:.2f} s from the process's start, {one.from_loading_s:.2f} s from loading")


def _ours(servers: Servers, skills: int, within_s: float) -> Start:
    with servers.gateway(servers.store.tree_prefix(skills), name="gateway-cold") as process:
        done_at = _first_page(process, skills, within_s)
        return Start(done_at - process.started_at, done_at - process.ready_at)


def _typescript(servers: Servers, skills: int, within_s: float) -> Start:
    store = servers.store
    place = ("s3", store.server.url, BUCKET, store.tree_prefix(skills))
    with servers.typescript(*place, within_s=within_s) as process:
        done_at = _first_page(process, skills, within_s)
        return Start(done_at - process.started_at, done_at - _loading_at(process.log))


def _synced(servers: Servers, skills: int, within_s: float) -> Start:
    folder, log = servers.work / "synced", servers.work / "s3_sync.log"
    shutil.rmtree(folder, ignore_errors=True)
    store = servers.store
    argv = [*python_program("s3_sync"), store.server.url, BUCKET, store.tree_prefix(skills), str(folder)]
    started_at = time.time()
    try:
        with log.open("wb") as output:
            env = {**os.environ, **python_path(), **store.credentials}
            subprocess.run(argv, env=env, stdout=output, stderr=output, check=True, timeout=within_s)  # noqa: S603
        with servers.fastmcp(folder, within_s=within_s) as process:
            done_at = _first_page(process, skills, within_s)
    except subprocess.SubprocessError as failure:
        raise NotRun(f"the download: {failure}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Start(done_at - started_at, done_at - _loading_at(log))


def _first_page(process: Process, skills: int, within_s: float) -> float:
    """When the whole first page was there. Raises ValueError when it is not one."""
    request = request_bytes(Target("modern", "skills/list", {}, process.port), 1)
    status, body = ask(process.port, request, within_s=within_s)
    done_at = time.time()
    if (count := len(result_of(status, body)["skills"])) != min(skills, PAGE_SIZE):
        raise ValueError(f"the first page has {count} skills, not {PAGE_SIZE}")
    return done_at


def _loading_at(log: Path) -> float:
    """When a program said that it begins to load, on a line of its log."""
    for line in log.read_text(errors="replace").splitlines():
        if line.startswith("loading "):
            return float(line.partition(" ")[2])
    raise NotRun(f"{log.name} does not say when loading began")
