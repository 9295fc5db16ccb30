"""The metrics of several workers, added up by the process that started them.

No row can be taken out of their files: one of an `_info` that is so no more is 0 there, and is left out here.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector


class _Living(Collector):
    """Adds up the files of a directory; gauges of workers that are gone count no more."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files: Collector = MultiProcessCollector(None, str(directory))

    def collect(self) -> Iterable[Metric]:
        for file in self._directory.glob("gauge_live*_*.db"):
            if not _is_alive(int(file.stem.rpartition("_")[2])):
                file.unlink(missing_ok=True)
        for metric in self._files.collect():
            if metric.name.endswith("_info"):
                metric.samples = [sample for sample in metric.samples if sample.value]
            yield metric


def registry_of(directory: Path) -> CollectorRegistry:
    """The metrics in the files of a directory."""
    registry = CollectorRegistry()
    registry.register(_Living(directory))
    return registry


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
