"""Sending spans to a collector by OTLP over HTTP, as the OTEL_* variables say. Needs the extra `otel`."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Thread

from gateway.errors import SettingsError

FLUSH_WITHIN_S = 0.5
"""A stop waits no longer for a collector that does not answer."""


def require_otel() -> None:
    """Raises SettingsError where the extra is not installed."""
    if any(find_spec(name) is None for name in ("opentelemetry.sdk", "opentelemetry.exporter")):
        raise SettingsError(
            "GATEWAY_TRACING is true and OpenTelemetry's SDK is not installed; run: pip install 'skills-gateway[otel]'"
        )


@contextmanager
def exporting(version: str) -> Generator[None]:
    """Spans are sent in the block, and what is left at its end. Raises SettingsError without the extra."""
    require_otel()
    # Here and not at the top: they are an extra.
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    # What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say wins.
    resource = Resource({"service.name": "skills-gateway", "service.version": version}).merge(Resource.create())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        # The exporter tries again for seconds whatever time it is given.
        flushing = Thread(target=provider.force_flush, name="last spans", daemon=True)
        flushing.start()
        flushing.join(FLUSH_WITHIN_S)
