"""The log as lines of JSON, and ids that join an answer, its log lines and its audit line."""

import http.client
import json
import logging
import signal
import sys
from pathlib import Path
from urllib.parse import urlsplit

from gateway.audit.request import request_name
from gateway.cli.logs import JsonLines, TextLines
from tests.cli.conftest import Start
from tests.cli.test_serve import DOWN, KEYS

LIST = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "skills/list", "params": {}})
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


def record(message: str, *arguments: object, exc_info: object = None) -> logging.LogRecord:
    return logging.LogRecord("gateway.here", logging.WARNING, __file__, 1, message, arguments, exc_info)  # type: ignore[arg-type]


def test_nothing_that_is_logged_leaves_its_line() -> None:
    """[ours] Newlines of every kind, lone surrogates, exceptions; what is not known is left out."""
    try:
        raise ValueError("a\nb")
    except ValueError:
        line = JsonLines().format(record("x %s", "a\nb\u2028\ud800", exc_info=sys.exc_info()))
    assert len(line.splitlines()) == 1
    told = json.loads(line)
    assert (told["level"], told["logger"], told["message"]) == ("warning", "gateway.here", "x a\nb\u2028\ud800")
    assert told["exception"].endswith("ValueError: a\nb")
    text = TextLines().format(record("the page %s", "/skills/\x1b[2J\r2026-12-03 INFO a\nb\u2028"))
    assert text.endswith(r"the page /skills/\x1b[2J\r2026-12-03 INFO a\nb\u2028")
    assert set(json.loads(JsonLines().format(record("x")))) == {"time", "level", "logger", "message"}


def test_lines_name_their_request() -> None:
    """[ours] In both forms."""
    token = request_name.set(b"abc")
    try:
        assert json.loads(JsonLines().format(record("x")))["request"] == "abc"
        assert TextLines().format(record("x")).endswith("WARNING gateway.here: x [abc]")
    finally:
        request_name.reset(token)
    assert TextLines().format(record("x")).endswith("gateway.here: x")


def test_the_answer_the_log_and_the_audit_have_one_id(start: Start, tmp_path: Path) -> None:
    """[ours] The client's own when it is a plain word, else one of ours; on refusals too."""
    audit = tmp_path / "audit"
    env = {**KEYS, "GATEWAY_AUDIT": str(audit)}
    with start(*DOWN, "--log-format", "json", env=env) as process:
        assert process.stderr is not None
        lines = [json.loads(process.stderr.readline())]
        while not lines[-1]["message"].startswith("serving "):
            lines.append(json.loads(process.stderr.readline()))
        connection = http.client.HTTPConnection(urlsplit(lines[-1]["message"].split()[-1]).netloc, timeout=20)
        given: list[str] = []
        for name in ("abc-1.2:3", "", "a b", "x" * 129, "é"):
            connection.request("POST", "/mcp", LIST, HEADERS | {"X-Request-Id": name})
            answer = connection.getresponse()
            assert json.loads(answer.read())["error"]["code"] == -32603
            given.append(answer.headers["X-Request-Id"])
        connection.request("GET", "/nothing", headers={"Host": "evil.example", "X-Request-Id": "refused"})
        answer = connection.getresponse()
        answer.read()
        assert (answer.status, answer.headers["X-Request-Id"]) == (421, "refused")
        connection.close()
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=20)
    lines += [json.loads(line) for line in stderr.splitlines()]
    assert given[0] == "abc-1.2:3"
    assert len(set(given)) == 5
    assert all(name.isalnum() for name in given[1:])
    failed = [line["request"] for line in lines if line["message"].startswith("skills/list: store_unavailable")]
    assert failed == given
    assert [json.loads(line)["http_request"] for line in audit.read_text().splitlines()] == given
