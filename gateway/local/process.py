"""A server process of our own on this machine: started, waited for, stopped.

It hears no Ctrl+C of the terminal (we stop it), dies with us where Linux lets us ask for that, and
only ever its own process id is signalled.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gateway.errors import StoreUnavailable

_STOP_WITHIN_S = 8.0
_POLL_S = 0.02
_LOG_TAIL_BYTES = 2000
_PR_SET_PDEATHSIG = 1


def free_ports(count: int) -> list[int]:
    """Different TCP ports nobody listens on at 127.0.0.1; another process may still take one."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextmanager
def running(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    log: Path,
    is_ready: Callable[[], bool],
    ready_within_s: float = 30.0,
) -> Generator[int]:
    """Run `argv` until the block ends; yields its process id once `is_ready`.

    Its output goes to `log`. `env` is added to our own environment. Raises StoreUnavailable with the
    end of the log when it exits or is not ready in time.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - the callers' own programs, no shell
            argv,
            env={**os.environ, **env},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_dying_with_parent(),
        )
    try:
        _wait_until(is_ready, process, Path(argv[0]).name, log, ready_within_s)
        yield process.pid
    finally:
        _stop(process)


def _wait_until(
    is_ready: Callable[[], bool], process: "subprocess.Popen[bytes]", name: str, log: Path, within_s: float
) -> None:
    deadline = time.monotonic() + within_s
    while not is_ready():
        if process.poll() is not None:
            raise StoreUnavailable(f"{name} ended at once with status {process.returncode}:\n{_tail(log)}")
        if time.monotonic() > deadline:
            raise StoreUnavailable(f"{name} did not answer within {within_s:g} s:\n{_tail(log)}")
        time.sleep(_POLL_S)


def _tail(log: Path) -> str:
    return log.read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace") or "(its log is empty)"


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _dying_with_parent() -> Callable[[], object] | None:
    # So that a killed parent leaves no server behind. The library is loaded here, before the fork.
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
