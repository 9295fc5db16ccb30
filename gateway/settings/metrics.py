"""Settings of metrics and traces."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from gateway.settings.values import Whole


class Metrics(BaseSettings):
    """Metrics are on an address of their own, where nobody is asked for a token."""

    metrics_host: Annotated[str, Field(min_length=1)] = Field(
        default="127.0.0.1", description="Address that metrics are answered on; keep it from those who use the gateway."
    )
    metrics_port: Whole = Field(
        default=0, ge=0, le=65_535, description="Port of GET /metrics for Prometheus; 0 for no metrics."
    )
    tracing: bool = Field(
        default=False,
        description="Whether traces are sent by OpenTelemetry (OTLP over HTTP), as the OTEL_* variables say; needs the "
        "extra otel.",
    )
