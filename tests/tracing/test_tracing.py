"""Traces: one tree from the HTTP request to the calls to the store, with nothing secret in it."""

import json
from collections.abc import Iterator, Mapping

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.types import Receive, Scope, Send

from gateway.asgi import app_over
from gateway.auth.apikeys import make_api_key
from gateway.settings import Settings
from gateway.tracing.spans import Traced
from tests.protocol.host import BASE_URL, ERAS, Era, Host
from tests.stores import S3Bucket
from tests.tree.trees import skill_md

KEY, KEPT = make_api_key("ci", b"1" * 32)
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
SECRET = "What nobody else may read."


@pytest.fixture(scope="session")
def _exporter() -> InMemorySpanExporter:
    # There is one provider for a process, and it stays.
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def spans(_exporter: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    _exporter.clear()
    yield _exporter
    _exporter.clear()


def by_id(spans: InMemorySpanExporter) -> Mapping[int, ReadableSpan]:
    return {span.context.span_id: span for span in spans.get_finished_spans() if span.context}


def path_of(span: ReadableSpan, known: Mapping[int, ReadableSpan]) -> list[str]:
    """Names from the outermost span to this one."""
    above = path_of(known[span.parent.span_id], known) if span.parent and span.parent.span_id in known else []
    return [*above, span.name]


async def ask(bucket: S3Bucket, era: Era, times: int, **headers: str) -> None:
    """Read one file of a skill through the layer that traces."""
    settings = Settings(
        bucket=bucket.name, cursor_keys=("k" * 32,), auth="bearer", api_keys=(KEPT.line,), rate_per_address=1000
    )
    app = app_over(bucket.open, settings)
    traced = Traced(app)
    async with app.router.lifespan_context(app) as state:

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            await traced({**scope, "state": dict(state or {})}, receive, send)

        async with httpx.AsyncClient(transport=httpx.ASGITransport(serve), base_url=BASE_URL) as client:
            host = Host(client)
            for _ in range(times):
                reply = await host.call(
                    era,
                    "resources/read",
                    {"uri": "skill://kit/SKILL.md"},
                    Authorization=f"Bearer {KEY}",
                    **headers,
                )
                assert SECRET in reply.text


@pytest.mark.parametrize("era", ERAS)
async def test_calls_to_the_store_are_children_of_the_request(
    s3_bucket: S3Bucket, spans: InMemorySpanExporter, era: Era
) -> None:
    """[W3C Trace Context] And the request of the span that its client named."""
    await s3_bucket.put("kit/SKILL.md", skill_md("kit", SECRET))
    spans.clear()
    await ask(s3_bucket, era, 1, traceparent=PARENT)
    known = by_id(spans)
    outermost = [span for span in known.values() if span.name == "HTTP POST"]
    assert len(outermost) == 1
    assert outermost[0].parent is not None
    assert f"{outermost[0].parent.span_id:016x}" == "00f067aa0ba902b7"
    assert {f"{span.context.trace_id:032x}" for span in known.values() if span.context} >= {PARENT[3:35]}
    of_store = [
        span for span in known.values() if span.name.startswith("S3.") and path_of(span, known)[0] == "HTTP POST"
    ]
    assert of_store
    for span in of_store:
        assert path_of(span, known)[:2] == ["HTTP POST", "resources/read"]
        assert (span.attributes or {})["rpc.service"] == "S3"


async def test_an_answer_from_memory_has_a_span_and_no_call(s3_bucket: S3Bucket, spans: InMemorySpanExporter) -> None:
    """[ours]"""
    await s3_bucket.put("kit/SKILL.md", skill_md("kit", SECRET))
    spans.clear()
    await ask(s3_bucket, "modern", 3)
    known = by_id(spans)
    names = [path_of(span, known) for span in known.values() if path_of(span, known)[0] == "HTTP POST"]
    assert names.count(["HTTP POST"]) == 3
    assert names.count(["HTTP POST", "resources/read"]) == 1


async def test_nothing_secret_is_in_a_span(s3_bucket: S3Bucket, spans: InMemorySpanExporter) -> None:
    """[ours] No token, no text of a file."""
    await s3_bucket.put("kit/SKILL.md", skill_md("kit", SECRET))
    spans.clear()
    await ask(s3_bucket, "modern", 2)
    told = json.dumps([span.to_json() for span in spans.get_finished_spans()])
    assert "resources/read" in told
    for secret in (SECRET, KEY, "Bearer"):
        assert secret not in told
