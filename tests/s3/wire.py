"""A server of the tests' own: it answers what it is told, byte for byte, or not at all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from gateway.s3 import S3Options


@dataclass
class Wire:
    """Where it listens, and the head of every request it got."""

    url: str
    requests: list[str] = field(default_factory=list)

    def options(self, **changes: Any) -> S3Options:
        """Options for a bucket there: one attempt, a deadline of 5 seconds."""
        given: dict[str, Any] = {
            "bucket": "bucket",
            "endpoint_url": self.url,
            "region": "us-east-1",
            "access_key": "the-access-key",
            "secret_key": "the-secret-key",
            "max_attempts": 1,
            "call_timeout_s": 5.0,
        }
        return S3Options(**(given | changes))


@asynccontextmanager
async def answering(*answers: bytes, then_stall: bool = False) -> AsyncIterator[Wire]:
    """A server on loopback that sends `answers` in turn, the last one again and again.

    It closes after each, unless it is to stall: then the connection stays open and silent.
    """
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            wire.requests.append((await reader.readuntil(b"\r\n\r\n")).decode())
            writer.write(left.pop(0) if len(left) > 1 else left[0])
            await writer.drain()
            if then_stall:
                await reader.read()  # until the client goes
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # a client that went first
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    wire = Wire(f"http://{host}:{port}")
    async with server:
        yield wire


def response(status: str, body: bytes = b"", **headers: str) -> bytes:
    """An HTTP answer with a true Content-Length unless one is given; `_` in a header's name is `-`."""
    given = {"Content_Length": str(len(body)), "Connection": "close"} | headers
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def error(status: str, code: str, message: str = "No.", more: str = "", **headers: str) -> bytes:
    """An error as S3 writes it."""
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message>{more}</Error>"
    return response(status, body.encode(), **headers)
