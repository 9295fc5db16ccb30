"""Answers on the wire: the head and the body in one write, and nothing held back that somebody waits for."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from gateway.cli.http import OneWriteProtocol

Writes = list[bytes]


class _Seen(OneWriteProtocol):
    """Notes what reaches the socket, write by write."""

    writes: Writes

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(_Noting(transport, type(self).writes))  # pyright: ignore[reportArgumentType]


class _Noting:
    def __init__(self, transport: asyncio.Transport, writes: Writes) -> None:
        self._transport, self._writes = transport, writes

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        self._writes.append(data)
        self._transport.write(data)


async def small(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def slow(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
    await asyncio.sleep(0.05)
    await send({"type": "http.response.body", "body": b"ab", "more_body": True})
    await asyncio.sleep(0.05)
    await send({"type": "http.response.body", "body": b"cd"})


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter, Writes]]:
    writes: Writes = []
    config = uvicorn.Config(app, lifespan="off", log_config=None, interface="asgi3")
    config.load()
    make = type("Seen", (_Seen,), {"writes": writes})
    server = await asyncio.get_running_loop().create_server(lambda: make(config, ServerState(), {}), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        yield reader, writer, writes
        writer.close()
        await writer.wait_closed()


def request(*headers: str, body: str = "") -> bytes:
    return "\r\n".join(["POST / HTTP/1.1", "host: a", f"content-length: {len(body)}", *headers, "", body]).encode()


async def test_the_head_and_the_body_of_an_answer_go_out_in_one_write() -> None:
    """[ours: one system call, one packet]"""
    async with served(small) as (reader, writer, writes):
        for _ in range(2):  # on one connection
            writer.write(request())
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
            assert await reader.readexactly(2) == b"ok"
    assert len(writes) == 2
    assert all(written.endswith(b"\r\n\r\nok") for written in writes)


async def test_what_comes_in_parts_goes_out_in_parts() -> None:
    """[ours: nothing waits for what comes later]"""
    async with served(slow) as (reader, writer, writes):
        writer.write(request())
        await reader.readuntil(b"\r\n\r\n")
        assert len(writes) == 1
        assert await reader.readexactly(2) == b"ab"
        assert await reader.readexactly(2) == b"cd"
    assert [written[-2:] for written in writes] == [b"\r\n", b"ab", b"cd"]


async def test_a_client_that_waits_for_100_continue_gets_it() -> None:
    """[RFC 9110 10.1.1]"""
    async with served(small) as (reader, writer, _):
        writer.write(request("expect: 100-continue", body="xx").removesuffix(b"xx"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"xx")
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(2) == b"ok"


@pytest.mark.parametrize("garbage", [b"\x00\r\n\r\n", b"GET\r\n\r\n"])
async def test_a_connection_that_is_refused_says_so_before_it_closes(garbage: bytes) -> None:
    """[ours: what was held is written before the end]"""
    async with served(small) as (reader, writer, _):
        writer.write(garbage)
        assert b"400" in await reader.read()
