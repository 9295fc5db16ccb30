"""`skills-gateway serve`, as a process."""

import http.client
import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.conftest import Run, Start

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
DOWN = ("serve", "--bucket", "skills", "--endpoint-url", "http://127.0.0.1:1", "--port", "0")


def endpoint_of(process: "subprocess.Popen[str]") -> str:
    """The URL of the line that says what is served; lines before it are passed over."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("serving "):
            return line.split()[-1]
    raise AssertionError(f"ended with {process.wait()} before it served")


def get(url: str, path: str) -> tuple[int, dict[str, str]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_it_says_where_it_serves_answers_and_stops_on_sigterm(start: Start) -> None:
    """[ours] Alive though the store is down, which /readyz tells; exit code 0."""
    with start(*DOWN, env=KEYS) as process:
        url = endpoint_of(process)
        assert get(url, "/livez") == (200, {"status": "ok"})
        status, body = get(url, "/readyz")
        assert (status, body["reason"]) == (503, "store_unavailable")
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stdout) == (0, "")
    assert "Traceback" not in stderr


def test_ctrl_c_is_a_normal_end(start: Start) -> None:
    """[ours]"""
    with start(*DOWN, env=KEYS) as process:
        endpoint_of(process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stdout) == (0, "")
    assert "Traceback" not in stderr


def test_several_workers_share_the_port(start: Start) -> None:
    """[ours] Each is a fresh process and gets the settings of the first."""
    env = {**KEYS, "GATEWAY_CURSOR_KEYS": "k" * 32}
    with start(*DOWN, "--workers", "2", env=env) as process:
        url = endpoint_of(process)
        assert get(url, "/livez") == (200, {"status": "ok"})
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (0, "")
    assert "Traceback" not in stderr


def test_a_taken_port_of_metrics_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours]"""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("GATEWAY_METRICS_PORT", str(port))
        result = run("serve", "--bucket", "skills", "--port", 0)
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: cannot answer metrics on 127.0.0.1, port {port} (Address already in use); "
        "choose another GATEWAY_METRICS_PORT\n"
    )


def test_a_taken_port_is_one_line(run: Run) -> None:
    """[ours]"""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("serve", "--bucket", "skills", "--port", port)
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: cannot listen on 127.0.0.1, port {port} (Address already in use); choose another port with --port\n"
    )


def test_a_start_without_credentials_says_so_without_a_traceback(start: Start, tmp_path: Path) -> None:
    """[ours]"""
    assert "AWS_ACCESS_KEY_ID" not in os.environ
    with start(*DOWN, env={"HOME": str(tmp_path)}) as process:
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (1, "")
    assert "no credentials found" in stderr
    assert "Traceback" not in stderr
