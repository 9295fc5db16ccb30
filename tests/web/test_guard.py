"""The guard in front of the endpoint: what never reaches the protocol."""

import json
import time
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.web.guard import MAX_JSON_DEPTH, is_too_deep
from tests.protocol.host import Era, Host, Reply, headers_of, with_meta
from tests.protocol.providers import Shelf, host_of, static_entry

SHELF = Shelf((static_entry("a"),))
LIMIT = 64 * 1024
LIST = b'{"jsonrpc":"2.0","id":1,"method":"skills/list"}'
HEADERS = headers_of("legacy", "skills/list")


async def with_headers(host: Host, extra: Sequence[tuple[str, str]], path: str = "/mcp") -> tuple[int, str]:
    answer = await host.client.post(path, content=LIST, headers=[*HEADERS.items(), *extra])
    return answer.status_code, answer.text


@pytest.mark.parametrize("host_header", ["127.0.0.1", "127.0.0.1:8000", "127.0.0.1:1"])
async def test_a_known_host_is_answered(host_header: str) -> None:
    """[RFC 9110 section 7.2]"""
    async with host_of(SHELF) as host:
        status, text = await with_headers(host, [("Host", host_header)])
    assert (status, "skills" in text) == (200, True)


@pytest.mark.parametrize(
    "host_header", ["", "evil.com", "127.0.0.1.", "127.0.0.1:8000@evil", "127.0.0.1.evil.com", "user@127.0.0.1", "null"]
)
async def test_a_foreign_host_is_misdirected(host_header: str, era: Era) -> None:
    """[RFC 9110 section 15.5.20] On every path and for every verb but those of health."""
    async with host_of(SHELF) as host:
        for path in ("/mcp", "/", "/nothing", "/livez/", "/mcp/"):
            assert (await with_headers(host, [("Host", host_header)], path))[0] == 421
        reply = await host.call(era, "skills/list", Host=host_header)
    assert (reply.status, "GATEWAY_ALLOWED_HOSTS" in reply.text, "skills" in reply.text) == (421, True, False)


async def test_two_hosts_are_misdirected_though_each_is_known() -> None:
    """[RFC 9112 section 3.2]"""
    async with host_of(SHELF) as host:
        twice = [("Host", "127.0.0.1"), ("Host", "127.0.0.1")]
        assert (await with_headers(host, twice))[0] == 421


@pytest.mark.parametrize("origin", ["null", "", "https://evil.com", "http://127.0.0.1", "http://127.0.0.1:8000"])
async def test_a_foreign_origin_is_forbidden(origin: str) -> None:
    """[MCP Streamable HTTP, DNS rebinding] No origin is allowed here, not even our own; no Origin is fine."""
    async with host_of(SHELF) as host:
        assert (await with_headers(host, [("Origin", origin)]))[0] == 403
        assert (await with_headers(host, []))[0] == 200


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
async def test_only_post_is_allowed(verb: str, era: Era) -> None:
    """[SDK trap: a stateless GET of 2025 opens a stream that never ends]"""
    async with host_of(SHELF) as host:
        reply = await host.send(b"", headers_of(era, "skills/list"), verb=verb)
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


async def test_a_body_at_the_limit_is_read_and_one_byte_more_is_not(era: Era) -> None:
    """[RFC 9110 section 15.5.14] With a declared length, and chunk by chunk without one."""
    async with host_of(SHELF) as host:
        for declared in (True, False):
            replies = [await padded(host, era, size, declared) for size in (LIMIT, LIMIT + 1, 10 * LIMIT)]
            assert [reply.status for reply in replies] == [400, 413, 413]
            assert replies[0].code == -32700
            assert replies[2].text == "The request body is larger than 65536 bytes"


async def padded(host: Host, era: Era, size: int, declared: bool) -> Reply:
    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, size, 1000):
            yield b"x" * min(1000, size - start)

    return await host.send(b"x" * size if declared else chunks(), headers_of(era, "skills/list"))


async def test_a_declared_length_of_more_digits_than_are_read_is_too_large(era: Era) -> None:
    """[ours] A number of 5,000 digits is none to Python."""
    async with host_of(SHELF) as host:
        for length in ("9" * 18, "9" * 19, "9" * 5000):
            reply = await host.call(era, "skills/list", **{"Content-Length": length})
            assert reply.status == 413


async def test_what_was_allowed_before_does_not_let_others_in() -> None:
    """[ours] Allowed hosts are remembered, as they were written."""
    async with host_of(SHELF) as host:
        for host_header, status in (("127.0.0.1:1", 200), ("127.0.0.1:1", 200), ("127.0.0.1:1.evil", 421), ("", 421)):
            assert (await with_headers(host, [("Host", host_header)]))[0] == status


async def test_an_oversized_body_is_refused_before_it_is_read() -> None:
    """[ours] By its declared length; and without one, after the limit."""
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1000
            yield b"x" * 1000

    async with host_of(SHELF) as host:
        declared = await host.send(endless(), HEADERS | {"Content-Length": str(LIMIT + 1)})
        assert (declared.status, read) == (413, 0)
        assert (await host.send(endless(), HEADERS)).status == 413
        assert read <= LIMIT + 1000


async def test_a_body_in_pieces_is_one_request(era: Era) -> None:
    """[ours]"""
    body = {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": with_meta(era, {})}
    message = json.dumps(body).encode()

    async def pieces() -> AsyncIterator[bytes]:
        for index in range(len(message)):
            yield message[index : index + 1]

    async with host_of(SHELF) as host:
        reply = await host.send(pieces(), headers_of(era, "skills/list"))
    assert len(reply.result["skills"]) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.text(st.sampled_from('[]{}"\\x')),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.sampled_from('[]{}"\\')), inner, max_size=4),
    max_leaves=30,
)


@given(JSON, st.integers(0, 140))
def test_depth_is_that_of_the_json(value: object, around: int) -> None:
    """[JSON-RPC 5.1] Brackets and quotes inside strings count for nothing."""
    text = "[" * around + json.dumps(value) + "]" * around
    assert is_too_deep(text.encode()) == (around + depth_of(value) > MAX_JSON_DEPTH)


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@pytest.mark.parametrize(
    "body",
    [
        b"[]" * 130 + b'"' + b'\\"' * 30_000,
        b"[]" * 130 + b'"\\' * 30_000,
        b"[]" * 130 + b'"' * 60_001,
        b"[]" * 130 + b'"' + b"\\" * 60_001,
        b"[]" * 130 + b'"' + b"x" * 60_000 + b"\\",
    ],
    ids=["escaped quotes", "quote and backslash", "quotes", "backslashes", "a cut escape"],
)
def test_looking_for_depth_takes_time_in_proportion_to_the_body(body: bytes) -> None:
    """[ours] A string without an end was once scanned again from each of its quotes: seconds for 64 KiB."""
    started = time.process_time()
    assert not is_too_deep(body)
    assert time.process_time() - started < 0.5
