"""Host and Origin as nobody's client sends them, byte by byte on a socket."""

import json
import socket
from collections.abc import Iterator

import pytest

from tests.protocol.host import headers_of, with_meta
from tests.serving import serving
from tests.stores import MemoryBucket

NAME = "skills.example.com"
WITHIN_S = 10.0


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with serving(MemoryBucket(), allowed_hosts=f"{NAME},{NAME}:8443", allowed_origins="https://app.example.com") as url:
        host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
        yield host, int(port)


def status(address: tuple[str, int], fields: bytes, target: bytes = b"/mcp") -> int:
    """Of the answer to a good request with these fields about its Host and Origin."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": with_meta("modern", {})}).encode()
    others = "".join(f"{name}: {value}\r\n" for name, value in headers_of("modern", "skills/list").items()).encode()
    head = b"POST %b HTTP/1.1\r\n%b%bContent-Length: %d\r\nConnection: close\r\n\r\n" % (
        target,
        fields,
        others,
        len(body),
    )
    with socket.create_connection(address, WITHIN_S) as connection:
        connection.sendall(head + body)
        return int(connection.makefile("rb").readline().split()[1])


@pytest.mark.parametrize("host", [NAME, NAME.upper(), f"{NAME}:8443", f" \t{NAME} "])
def test_the_names_of_this_server_are_answered(address: tuple[str, int], host: str) -> None:
    """[RFC 9110 section 7.2]"""
    assert status(address, f"Host: {host}\r\n".encode()) == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        f"{NAME}.",
        f"{NAME}.evil.example",
        f"{NAME}:80",
        f"{NAME}:8443@evil.example",
        f"user@{NAME}",
        f"user:{NAME}",
        f"{NAME}:",
        f"{NAME}:08443",
        f"{NAME}, evil.example",
        f"{NAME}/evil",
        f"_{NAME}",
        "127.0.0.1",
        "[::1%25eth0]",
        "skills.example.com\xa0",
    ],
)
def test_any_other_host_is_not(address: tuple[str, int], host: str) -> None:
    """[MCP, DNS rebinding] However like one of its names it looks."""
    assert status(address, f"Host: {host}\r\n".encode("latin-1")) == 421


def test_one_host_it_must_be(address: tuple[str, int]) -> None:
    """[RFC 9112 section 3.2]"""
    good = f"Host: {NAME}\r\n".encode()
    assert status(address, good + good) == 421
    assert status(address, good + b"Host: evil.example\r\n") == 421
    assert status(address, b"") == 421
    assert status(address, b"Host: evil.example\r\nX-Forwarded-Host: " + NAME.encode() + b"\r\n") == 421
    assert status(address, b"Host: evil.example\r\n", b"http://skills.example.com/mcp") == 421


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://app.example.com", 200),
        ("HTTPS://App.Example.com", 200),
        ("https://app.example.com:443", 403),
        ("https://app.example.com.", 403),
        ("https://user@app.example.com", 403),
        ("http://app.example.com", 403),
        ("https://app.example.com/", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_an_origin_is_one_of_those_that_were_named(address: tuple[str, int], origin: str, expected: int) -> None:
    """[RFC 6454 section 6.2]"""
    assert status(address, f"Host: {NAME}\r\nOrigin: {origin}\r\n".encode()) == expected


def test_one_origin_it_must_be(address: tuple[str, int]) -> None:
    """[ours]"""
    good = b"Origin: https://app.example.com\r\n"
    assert status(address, f"Host: {NAME}\r\n".encode() + good + good) == 403
