"""`GET /metrics` on a port of its own: of this process, or of all workers, by files that they write.

Source: prometheus_client, Multiprocess mode.
"""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def exposed(host: str, port: int, *, workers: int) -> Generator[None]:
    """Answer for as long as the block lasts. Raises OSError when the address cannot be bound."""
    if workers > 1:
        with tempfile.TemporaryDirectory(prefix="skills-gateway-metrics-") as directory, _among(directory):
            from gateway.metrics.answering import answering
            from gateway.metrics.workers import registry_of

            with answering(host, port, registry_of(Path(directory))):
                yield
    else:
        from prometheus_client import ProcessCollector

        from gateway.metrics.answering import answering
        from gateway.metrics.instruments import REGISTRY

        collector = ProcessCollector(registry=REGISTRY)
        try:
            with answering(host, port, REGISTRY):
                yield
        finally:
            REGISTRY.unregister(collector)


@contextmanager
def _among(directory: str) -> Generator[None]:
    """Workers that are started in the block write their metrics to a directory."""
    os.environ[_DIRECTORY] = directory
    try:
        yield
    finally:
        del os.environ[_DIRECTORY]
