"""Servers of programs that bring their own authentication: the layers of the SDK in front of `http_app`."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.types import Receive, Scope, Send

from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.options import AdapterOptions
from gateway.protocol.server import build_server
from gateway.provider import Caller, Content, EntryPage, Page
from gateway.skill.model import SkillEntry, SkillPath
from gateway.web.library import http_app
from tests.protocol.host import ERAS, Era, headers_of, with_meta


class _Remembering:
    """Serves nothing, and remembers who asked."""

    namespaces = ("",)
    serves_dynamic = False

    def __init__(self) -> None:
        self.callers: list[Caller] = []

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        self.callers.append(caller)
        return EntryPage(())

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return None

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        raise NotImplementedError


class _Names:
    """A token is the name of its bearer."""

    async def verify_token(self, token: str) -> AccessToken:
        return AccessToken(token="", client_id="ide", scopes=[], subject=token, claims={"iss": "https://id.example"})


@asynccontextmanager
async def behind_the_sdk(provider: _Remembering) -> AsyncIterator[httpx.AsyncClient]:
    adapter = SkillsAdapter(provider, AdapterOptions((b"k" * 32,)))
    app = http_app(build_server(adapter, name="test", version="1", instructions=""))
    wrapped = AuthenticationMiddleware(AuthContextMiddleware(app), backend=BearerAuthBackend(_Names()))
    async with app.router.lifespan_context(app) as state:

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            await wrapped({**scope, "state": dict(state or {})}, receive, send)

        transport = httpx.ASGITransport(serve)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            yield client


@pytest.mark.parametrize("era", ERAS)
async def test_whom_the_layers_of_the_sdk_let_in_the_provider_is_told_of(era: Era) -> None:
    """[ours] Cursors and answers are bound to the principal: without one all callers would share theirs."""
    provider = _Remembering()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": with_meta(era, {})})
    async with behind_the_sdk(provider) as client:
        for name in ("ann", "bob", "ann"):
            headers = headers_of(era, "skills/list") | {"Authorization": f"Bearer {name}"}
            assert (await client.post("/mcp", content=body, headers=headers)).status_code == 200
    assert [caller.principal for caller in provider.callers] == [
        ("https://id.example", "ide", name) for name in ("ann", "bob", "ann")
    ]
