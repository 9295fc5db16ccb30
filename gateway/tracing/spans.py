"""Spans for what the gateway does. No text of a file, token or cursor is in one.

Source: OpenTelemetry semantic conventions for HTTP and for AWS SDK calls.
"""

from collections.abc import Generator
from contextlib import contextmanager

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind, StatusCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.audit.request import current_request_id
from gateway.errors import GatewayError

_tracer = trace.get_tracer("skills-gateway")


def current_trace_id() -> str:
    """The trace of this request in hexadecimal; empty when there is none."""
    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else ""


@contextmanager
def store_span(operation: str, bucket: str, key: str | None) -> Generator[None]:
    """Around one call to the store. An error is told by its reason."""
    attributes = {"rpc.system": "aws-api", "rpc.service": "S3", "rpc.method": operation, "aws.s3.bucket": bucket}
    if key is not None:
        attributes["aws.s3.key"] = key.encode(errors="replace").decode()
    with _tracer.start_as_current_span(
        f"S3.{operation}",
        kind=SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except GatewayError as error:
            _fail(span, error.reason)
            raise


class Traced:
    """An ASGI layer: a span around each request, the child of one that `traceparent` names."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        method, path = scope["method"], scope["path"]
        attributes = {"http.request.method": method, "url.path": path.encode(errors="replace").decode()}
        if name := current_request_id():
            attributes["http.request.header.x-request-id"] = name
        with _tracer.start_as_current_span(
            f"HTTP {method}", context=propagate.extract(carrier), kind=SpanKind.SERVER, attributes=attributes
        ) as span:
            await self._app(scope, receive, _watching(send, span))


def _watching(send: Send, span: Span) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            status: int = message["status"]
            span.set_attribute("http.response.status_code", status)
            if status >= 500:
                _fail(span, str(status))
        await send(message)

    return sending


def _fail(span: Span, reason: str) -> None:
    span.set_attribute("error.type", reason)
    span.set_status(StatusCode.ERROR)
