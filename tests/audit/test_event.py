"""An event and its line."""

import json
import sys

import pytest

from gateway.audit.event import AuditEvent, as_line
from tests.audit.kept import event


def test_a_line_says_who_was_sent_what() -> None:
    """[ours] One object, every field there, null where there is nothing to say."""
    line = as_line(
        AuditEvent(
            1_800_000_000.25,
            0.0123456,
            ("https://issuer.example", "host", "ada"),
            "canary",
            "resources/read",
            "ok",
            "skill://team/a/SKILL.md",
            ("some-host", "1.2"),
            "sha256:" + "0" * 64,
            42,
            None,
            "0123456789abcdef0123",
            7,
            "abc",
        )
    )
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "time": "2027-01-15T08:00:00.250Z",
        "principal": {"issuer": "https://issuer.example", "client": "host", "subject": "ada"},
        "variant": "canary",
        "client": {"name": "some-host", "version": "1.2"},
        "method": "resources/read",
        "uri": "skill://team/a/SKILL.md",
        "digest": "sha256:" + "0" * 64,
        "bytes": 42,
        "items": None,
        "result": "ok",
        "latency_ms": 12.346,
        "release": "0123456789abcdef0123",
        "request_id": 7,
        "http_request": "abc",
    }


def test_who_is_anonymous_is_no_principal_and_who_is_refused_at_the_door_asks_by_no_method() -> None:
    """[ours]"""
    line = json.loads(as_line(event(method=None, result="unauthenticated")))
    assert (line["principal"], line["method"], line["result"]) == (None, None, "unauthenticated")


@pytest.mark.parametrize("text", ["\ud800", 'a"\n\r\x00\x1b[2J', "é" * 5000, "x" * 60_000, "\U0001f9ff" * 3000, ""])
def test_what_a_client_chose_is_one_line_of_bounded_length(text: str) -> None:
    """[ours] Escaped as JSON has it, lone surrogates spelled out, cut with a mark behind it."""
    line = as_line(event(uri=text, client=(text, text), request_id=text, principal=(text, text, text)))
    assert line.count(b"\n") == 1
    fields = json.loads(line)
    assert len(fields["uri"].encode()) <= 2048 + len("…".encode())
    assert len(fields["client"]["name"].encode()) <= 256 + len("…".encode())
    whole = len(text.encode(errors="replace")) <= 256
    assert whole is not fields["client"]["name"].endswith("…")
    if whole and text.isprintable():
        assert fields["uri"] == text


@pytest.mark.parametrize(("given", "written"), [(0, 0), (2**53 - 1, 2**53 - 1), (-(2**53), hex(-(2**53))), ("a", "a")])
def test_an_id_is_one_that_every_parser_reads(given: int | str, written: int | str) -> None:
    """[RFC 8259 section 6]"""
    assert json.loads(as_line(event(request_id=given)))["request_id"] == written


def test_an_id_of_more_digits_than_python_prints_is_written() -> None:
    """[ours]"""
    assert len(as_line(event(request_id=10 ** (sys.get_int_max_str_digits() + 1)))) < 1000
