"""Spans on their way to a collector, from a process as a user starts it."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SERVE = ("serve", "--bucket", "skills", "--endpoint-url", "http://127.0.0.1:1", "--port", "0")
STOP_WITHIN_S = 5.0


class Collector(BaseHTTPRequestHandler):
    """Keeps the names of the spans that come, by the service they are of."""

    seen: list[tuple[str, str]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = {one.key: one.value.string_value for one in resource.resource.attributes}
            spans = [span.name for scope in resource.scope_spans for span in scope.spans]
            self.seen.extend((names["service.name"], name) for name in spans)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def collecting() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    handler = type("Handler", (Collector,), {"seen": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", handler.seen
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def serving(folder: Path, collector: str) -> "Iterator[tuple[str, subprocess.Popen[str]]]":
    env = {name: value for name, value in os.environ.items() if not name.startswith(("GATEWAY_", "OTEL_"))}
    env |= {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "GATEWAY_TRACING": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
        "OTEL_SERVICE_NAME": "of-a-team",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    command = [sys.executable, "-c", "from gateway.cli.main import main; main()", *SERVE]
    with subprocess.Popen(command, cwd=folder, env=env, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = next(line for line in process.stderr if line.startswith("serving "))
            yield line.split()[-1], process
        finally:
            if process.poll() is None:
                process.kill()


def stopped_after_s(process: "subprocess.Popen[str]") -> float:
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 0
    return time.monotonic() - began


def get(url: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    connection.request("GET", "/readyz")
    connection.getresponse().read()
    connection.close()


def test_spans_reach_a_collector_before_the_process_ends(tmp_path: Path) -> None:
    """[OTLP] Under the name that the standard variable gives."""
    with collecting() as (address, seen), serving(tmp_path, address) as (url, process):
        get(url)
        assert stopped_after_s(process) < STOP_WITHIN_S
    assert ("of-a-team", "HTTP GET") in seen
    assert ("of-a-team", "S3.ListObjectsV2") in seen


def test_a_collector_that_is_down_holds_nothing_up(tmp_path: Path) -> None:
    """[ours] Neither an answer nor the stop."""
    with serving(tmp_path, "http://127.0.0.1:1") as (url, process):
        get(url)
        assert stopped_after_s(process) < STOP_WITHIN_S
