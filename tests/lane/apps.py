"""The same server twice over one provider, with a lane and without; and requests to both, byte for byte."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.types import Message

from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.registered import RegisteredSkill, RegisteredSkills
from gateway.catalog.static import StaticSkill
from gateway.cursor import CursorSealer
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.options import AdapterOptions
from gateway.protocol.paging import Pager
from gateway.protocol.server import build_server
from gateway.protocol.warm import warm_answers
from gateway.provider import SkillProvider
from gateway.web.app import Backend, View, WebOptions, create_web_app
from gateway.web.hosts import host_rules
from gateway.web.lane import Lane
from tests.protocol.providers import KEY, skill_md
from tests.protocol.uris import OBJECTS

NOW = 1_800_000_000.0
"""The clock of cursors stands still, so that two apps seal the same ones."""


@dataclass(frozen=True)
class Answer:
    """What a client gets to see of a reply. `body` is JSON in one spelling, or the bytes of what is none."""

    status: int
    content_type: bytes | None
    body: str


@dataclass(frozen=True)
class Started:
    """A running app, and its lane if it has one."""

    app: Starlette
    state: dict[str, Any]

    @property
    def hits(self) -> int:
        return self.state["lanes"][""].hits.total()

    async def post(self, body: bytes, headers: Sequence[tuple[bytes, bytes]], path: str = "/mcp") -> Answer:
        sent: list[Message] = []
        given: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return given.pop() if given else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1:8000"), *headers],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
            "state": dict(self.state),
        }
        await self.app(scope, receive, send)
        return _answer(sent)


def _answer(sent: Sequence[Message]) -> Answer:
    start, *rest = sent
    headers = start["headers"]
    body = b"".join(message.get("body", b"") for message in rest)
    (length,) = (int(value) for name, value in headers if name == b"content-length")
    assert length == len(body)
    content_type = next((value for name, value in headers if name == b"content-type"), None)
    try:
        text = json.dumps(json.loads(body), sort_keys=True)
    except ValueError:
        text = repr(body)
    return Answer(start["status"], content_type, text)


def app_over(provider: SkillProvider, *, has_lane: bool, **options: Any) -> Starlette:
    settings = AdapterOptions((KEY,), **{"directory_read": True, "page_size": 3, **options})
    adapter = SkillsAdapter(provider, settings, pager=Pager(settings, CursorSealer([KEY]), lambda: NOW))
    server = build_server(adapter, name="test", version="1", instructions="Read on.")

    async def nothing() -> None: ...

    @asynccontextmanager
    async def open_backend() -> AsyncIterator[Backend]:
        warm = warm_answers(adapter, server) if has_lane else None
        yield Backend({"": View(server, None if warm is None else Lane(warm))}, nothing)

    return create_web_app(open_backend, WebOptions(host_rules(["127.0.0.1:*"], ["http://127.0.0.1:*"])))


@asynccontextmanager
async def started(app: Starlette) -> AsyncIterator[Started]:
    async with app.router.lifespan_context(app) as state:
        yield Started(app, dict(state or {}))


def registered() -> RegisteredSkills:
    """Skills of every kind: odd names, nested ones, binary files, many files, and a dynamic one."""
    folders: dict[str, dict[str, bytes]] = {}
    for key, data in OBJECTS.items():
        path, _, file_path = key.partition("/x/")
        folders.setdefault(f"{path}/x", {})[file_path] = data
    skills: list[RegisteredSkill] = [StaticSkill(path, files) for path, files in folders.items()]
    inner = {"SKILL.md": skill_md("inner"), "f.txt": b"in both"}
    outer = {"SKILL.md": skill_md("outer"), **{f"inner/{name}": data for name, data in inner.items()}}
    skills += [StaticSkill("outer", outer), StaticSkill("outer/inner", inner)]
    odd: dict[str, bytes] = {"SKILL.md": skill_md("bin", version=1.0, big=2**53 - 1, n=None, t="\u2028\x7f\"'\\")}
    skills.append(StaticSkill("bin", odd | {"a.png": b"\x89PNG\x00\xff"}, allow_binary=True))
    skills.append(StaticSkill("many", {"SKILL.md": skill_md("many"), **{f"{n}.txt": b"%d" % n for n in range(40)}}))
    skills.append(DynamicSkill("dyn", skill_md("dyn"), read_resource=_made))
    return RegisteredSkills(skills)


async def _made(uri: str) -> bytes:
    return uri.encode()
