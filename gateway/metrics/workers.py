"""The metrics of several workers, added up by the process that started them."""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, Metric, start_http_server
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
        return self._files.collect()


@contextmanager
def serve_workers(host: str, port: int, directory: Path) -> Generator[None]:
    """Answer `GET /metrics` from the files in `directory`. Raises OSError when the address cannot be bound."""
    registry = CollectorRegistry()
    registry.register(_Living(directory))
    server, thread = start_http_server(port, host, registry)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
