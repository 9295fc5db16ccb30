"""The shape of the machine and what runs on it, for the heading of the table."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.servers import NODE


@dataclass(frozen=True, slots=True)
class Machine:
    """What figures depend on, and when they were taken (a UTC date)."""

    date: str
    cores: int
    cpu: str
    memory_gib: float
    kernel: str
    python: str
    node: str

    def sentence(self) -> str:
        return (
            f"{self.date}, {self.cores} cores of {self.cpu}, {self.memory_gib:.0f} GiB of memory, "
            f"{self.kernel}, Python {self.python}, Node {self.node}"
        )


def this_machine() -> Machine:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        cores=os.cpu_count() or 1,
        cpu=_cpu(),
        memory_gib=pages / 2**30,
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        node=_node_version(),
    )


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _node_version() -> str:
    try:
        done = subprocess.run([NODE, "--version"], capture_output=True, text=True, timeout=30, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return "not there"
    return done.stdout.strip().removeprefix("v")
