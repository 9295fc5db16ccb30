"""The server of `GET /metrics`, in a thread of its own."""

from collections.abc import Generator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, start_http_server


@contextmanager
def answering(host: str, port: int, registry: CollectorRegistry) -> Generator[None]:
    """Answer from a registry for as long as the block lasts. Raises OSError when the address cannot be bound."""
    server, thread = start_http_server(port, host, registry)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
