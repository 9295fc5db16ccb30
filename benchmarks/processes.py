"""Processes under measurement: started, waited for to the millisecond, read from /proc, stopped.

Starting and stopping are `gateway.local.process`. Times are `time.time()`, so that what another
process says of itself can be compared. Source: proc(5), `/proc/pid/stat` and `/proc/pid/status`.
"""

import os
import socket
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import StoreUnavailable
from gateway.local.process import free_ports, running

SERVER_CORE, LOAD_CORE = 0, 1
_POLL_S = 0.001
_LOOK_AGAIN_S = 0.5
_REASON_CHARACTERS = 300
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class NotRun(Exception):
    """Something could not be measured; the text is the reason that the table shows."""


@dataclass(frozen=True, slots=True)
class Process:
    """A server that accepts connections on `port` of 127.0.0.1 since `ready_at`."""

    pid: int
    port: int
    started_at: float
    ready_at: float
    log: Path


@contextmanager
def started(
    argv: Sequence[str], *, port: int, env: Mapping[str, str], log: Path, within_s: float = 60.0
) -> Generator[Process]:
    """Run a server until the block ends. Raises NotRun when it ends, or does not listen in time."""
    log.unlink(missing_ok=True)
    started_at = time.time()
    with ExitStack() as stack:
        serving = running(
            argv, env=env, cwd=log.parent, log=log, is_ready=lambda: _listens(port), ready_within_s=within_s
        )
        try:
            pid = stack.enter_context(serving)
        except StoreUnavailable as failure:
            raise NotRun(" ".join(str(failure).split())[-_REASON_CHARACTERS:]) from None
        yield Process(pid, port, started_at, time.time(), log)


def free_port() -> int:
    return free_ports(1)[0]


def _listens(port: int) -> bool:
    """Whether somebody accepts connections; waits a while for it, as `running` looks only now and then."""
    until = time.monotonic() + _LOOK_AGAIN_S
    while time.monotonic() < until:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(_POLL_S)
    return False


@contextmanager
def on_core(core: int) -> Generator[None]:
    """Keep this thread, and what it starts, on one core; does nothing where that cannot be had."""
    # With a single core, and on systems other than Linux, everything shares what there is.
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
    if core not in allowed:
        yield
        return
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def cpu_s(pid: int) -> float:
    """Seconds of CPU of all threads of a process so far, in user and system mode."""
    # The name in parentheses may hold anything, blanks too.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def memory_bytes(pid: int) -> tuple[int, int]:
    """Resident memory now, and the most it ever was."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return _kib(lines["VmRSS"]), _kib(lines["VmHWM"])


def _kib(text: str) -> int:
    return int(text.split()[0]) * 1024
