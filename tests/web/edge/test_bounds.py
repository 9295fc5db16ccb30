"""Heads that are too large and requests that come too slowly, by bytes on a socket."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from gateway.cli.bounds import MAX_HEAD_BYTES
from gateway.cli.http import OneWriteProtocol

TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n"
WITHIN_S = 10.0
START = b"POST /mcp HTTP/1.1\r\nHost: a\r\n"


class Hasty(OneWriteProtocol):
    receive_within_s = 0.2


async def answering(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def connected(
    protocol: type[OneWriteProtocol],
) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    config = uvicorn.Config(answering, lifespan="off", log_config=None, interface="asgi3")
    config.load()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: protocol(config, ServerState(), {}), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        try:
            yield reader, writer
        finally:
            writer.close()


async def everything(reader: asyncio.StreamReader) -> bytes:
    """What comes until the server closes; what it would not read may end it with a reset."""
    got = b""
    async with asyncio.timeout(WITHIN_S):
        try:
            while part := await reader.read(65536):
                got += part
        except ConnectionResetError:
            pass
    return got


@pytest.mark.parametrize(
    "head",
    [
        START + b"X: " + b"a" * MAX_HEAD_BYTES + b"\r\n\r\n",
        START + b"X: " + b"a" * 4 * MAX_HEAD_BYTES,
        START + b"".join(b"X-%d: a\r\n" % number for number in range(10_000)) + b"\r\n",
        b"POST /" + b"a" * MAX_HEAD_BYTES + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST /" + b"a" * 4 * MAX_HEAD_BYTES,
        START + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: " + b"a" * 8 * MAX_HEAD_BYTES,
    ],
    ids=["one field", "endless field", "many fields", "the target", "endless target", "endless trailer"],
)
async def test_a_head_that_is_too_large_is_refused(head: bytes) -> None:
    """[RFC 6585 section 5]"""
    async with connected(OneWriteProtocol) as (reader, writer):
        writer.write(head)
        assert (await everything(reader)).startswith(TOO_LARGE)


async def test_a_head_with_a_large_token_is_not_too_large() -> None:
    """[ours] And a body does not count as head."""
    token = b"Authorization: Bearer " + b"a" * 32 * 1024
    request = START + token + b"\r\nContent-Length: 100000\r\n\r\n" + b"b" * 100_000
    async with connected(OneWriteProtocol) as (reader, writer):
        for _ in range(2):
            writer.write(request)
            async with asyncio.timeout(WITHIN_S):
                assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST /", START, START + b"Content-Length: 5\r\n\r\n", START + b"Content-Length: 5\r\n\r\nab"],
    ids=["nothing", "half a line", "half a head", "no body", "half a body"],
)
async def test_a_request_that_does_not_come_is_not_waited_for(sent: bytes) -> None:
    """[RFC 9110 section 15.5.9]"""
    async with connected(Hasty) as (reader, writer):
        writer.write(sent)
        assert (await everything(reader)).startswith(TOO_SLOW)


async def test_a_second_request_that_does_not_come_is_not_waited_for_either() -> None:
    """[ours] The connection was used before; bytes that trickle in do not put it off."""
    async with connected(Hasty) as (reader, writer):
        writer.write(START + b"Content-Length: 0\r\n\r\n")
        async with asyncio.timeout(WITHIN_S):
            await reader.readuntil(b"ok")

        async def trickle() -> None:
            for byte in START * 100:
                writer.write(bytes((byte,)))
                await asyncio.sleep(0.01)

        trickling = asyncio.create_task(trickle())
        assert (await everything(reader)).startswith(TOO_SLOW)
        trickling.cancel()


async def test_whole_requests_have_no_timer() -> None:
    """[ours] They would cost as much as the rest of the protocol."""
    made: list[OneWriteProtocol] = []

    class Timed(OneWriteProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            made.append(self)

    async with connected(Timed) as (reader, writer):
        writer.write(START + b"Content-Length: 0\r\n\r\n")
        async with asyncio.timeout(WITHIN_S):
            await reader.readuntil(b"ok")
        assert made[0]._timer is None  # pyright: ignore[reportPrivateUsage]
