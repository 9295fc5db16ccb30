"""A small host for tests: speaks JSON-RPC to an app through its ASGI door, in either era of the protocol.

Written on httpx alone, so that a fault of the SDK's client cannot hide one of its server, and so that
what no client would send can be sent.
"""

import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import httpx
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

Era = Literal["modern", "legacy"]
ERAS: tuple[Era, Era] = ("modern", "legacy")
REVISIONS: dict[Era, str] = {"modern": "2026-07-28", "legacy": "2025-11-25"}
EXTENSION = "io.modelcontextprotocol/skills"
META = "io.modelcontextprotocol/"
BASE_URL = "http://127.0.0.1:8000"
_NAMED = {"resources/read": "uri", "tools/call": "name", "prompts/get": "name"}
"""The parameter that goes into the header `Mcp-Name` too, by method. [MCP 2026-07-28]"""


@dataclass(frozen=True)
class Reply:
    """One answer. `result` and `error` are those of JSON-RPC, empty when there is none."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def message(self) -> dict[str, Any]:
        return json.loads(self.text)

    @property
    def result(self) -> dict[str, Any]:
        return self.message["result"]

    @property
    def error(self) -> dict[str, Any]:
        return self.message["error"]

    @property
    def code(self) -> int:
        return self.error["code"]

    def own_result(self) -> dict[str, Any]:
        """The result less what the SDK adds to every one on the modern revision."""
        return {name: value for name, value in self.result.items() if name != "_meta"}


class Host:
    """Calls one app at `/mcp`."""

    def __init__(self, client: httpx.AsyncClient, *, endpoint: str = "/mcp") -> None:
        self.client, self._endpoint = client, endpoint

    async def call(self, era: Era, method: str, params: Mapping[str, Any] | None = None, **extra: str) -> Reply:
        """A request with the headers and the `_meta` of its era; `extra` are further headers."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(era, params)}
        return await self.send(json.dumps(body).encode(), headers_of(era, method, params) | extra)

    async def send(self, body: Any, headers: Mapping[str, str], *, verb: str = "POST") -> Reply:
        """Whatever body, under whatever headers."""
        answer = await self.client.request(verb, self._endpoint, content=body, headers=dict(headers))
        return Reply(answer.status_code, answer.text, answer.headers)


def with_meta(era: Era, params: Mapping[str, Any] | None) -> dict[str, Any]:
    given = dict(params or {})
    if era == "legacy":
        return given
    meta = {"protocolVersion": REVISIONS[era], "clientCapabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return {**given, "_meta": {**given.get("_meta", {}), **{META + name: value for name, value in meta.items()}}}


def headers_of(era: Era, method: str, params: Mapping[str, Any] | None = None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if era == "legacy":
        return headers if method == "initialize" else headers | {"MCP-Protocol-Version": REVISIONS[era]}
    headers |= {"MCP-Protocol-Version": REVISIONS[era], "Mcp-Method": method}
    named = (params or {}).get(_NAMED.get(method, ""))
    return headers | {"Mcp-Name": _header_text(named)} if isinstance(named, str) else headers


def _header_text(text: str) -> str:
    """MCP 2026-07-28: a value that is no plain header text travels in base64."""
    if text and text.isascii() and text.isprintable() and text == text.strip():
        return text
    return f"=?base64?{base64.b64encode(text.encode(errors='surrogatepass')).decode()}?="


@asynccontextmanager
async def serving(app: Starlette, *, endpoint: str = "/mcp") -> AsyncIterator[Host]:
    """The app, started, with a host that calls it; stopped with the block."""
    async with app.router.lifespan_context(app) as state:

        async def started(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "state": dict(state or {})}, receive, send)

        transport = httpx.ASGITransport(started)
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as client:
            yield Host(client, endpoint=endpoint)
