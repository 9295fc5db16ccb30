"""Apps with downloads: whole gateways over a bucket, providers that go wrong, and real listeners for them."""

import io
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.applications import Starlette

from gateway.asgi import app_over
from gateway.audit.journal import Journal
from gateway.downloads.options import DownloadOptions
from gateway.downloads.routes import download_routes
from gateway.protocol.server import build_server
from gateway.provider import Caller, Content
from gateway.settings import Settings
from gateway.skill.model import SkillPath
from gateway.web.app import Backend, WebOptions, create_web_app
from gateway.web.hosts import host_rules
from gateway.web.view import View
from tests.protocol.host import serving
from tests.protocol.providers import TEXT, Shelf, adapter_of, skill_md, static_entry
from tests.serving import listening as serving_app
from tests.stores import MemoryBucket

FILES = {
    "acme/refunds/SKILL.md": b'---\nname: "refunds"\ndescription: Does it.\n---\nRead references/a.md.\n',
    "acme/refunds/references/a.md": b"# A\n",
    "acme/refunds/references/\u00e4 b.md": b"",
    "acme/refunds/Zeta.txt": b"z" * 200_000,
    "single/SKILL.md": b'---\nname: "single"\ndescription: Does it.\n---\nDo it.\n',
}
INDEX = "/.well-known/agent-skills/index.json"

ReadFile = Callable[[str], Awaitable[bytes]]


async def filled(files: Mapping[str, bytes] = FILES) -> MemoryBucket:
    bucket = MemoryBucket()
    for key, data in files.items():
        await bucket.put(key, data)
    return bucket


@asynccontextmanager
async def gateway(bucket: MemoryBucket | None = None, **changes: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a whole gateway; `changes` are settings."""
    bucket = bucket or await filled()
    settings = Settings(**{"bucket": bucket.name, "downloads": True, "cursor_keys": ("k" * 32,), **changes})
    async with serving(app_over(bucket.open, settings)) as host:
        yield host.client


@dataclass
class Told(Shelf):
    """Skills whose files are what `files` says when they are read; `reads` are the paths that were asked for."""

    files: ReadFile | None = None
    reads: tuple[str, ...] = ()

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        self.reads += (file_path,)
        if self.files is None:
            return await super().read(path, file_path, caller)
        return Content(await self.files(file_path), TEXT)


def told(files: Mapping[str, bytes], path: str = "a", read: ReadFile | None = None) -> Told:
    """One skill with a `SKILL.md` and `files`, which are read as they are, or by `read`."""
    entry = static_entry(path, files)
    contents = {"SKILL.md": skill_md(entry.name), **files}
    return Told((entry,), contents={(path, name): Content(data, TEXT) for name, data in contents.items()}, files=read)


def app_of(provider: Shelf, journal: Journal | None = None, **options: Any) -> Starlette:
    """An app that serves downloads of a provider."""
    adapter = adapter_of(provider)
    adapter.journal = journal
    server = build_server(adapter, name="test", version="1", instructions="Read on.")

    async def nothing() -> None: ...

    @asynccontextmanager
    async def open_backend() -> AsyncIterator[Backend]:
        yield Backend({"": View(server, adapter=adapter)}, nothing)

    routes = download_routes(DownloadOptions(**{"max_file_bytes": 16 * 1024 * 1024, **options}))
    return create_web_app(open_backend, WebOptions(host_rules(["127.0.0.1:*"], []), routes=routes))


@asynccontextmanager
async def client_of(
    provider: Shelf, journal: Journal | None = None, **options: Any
) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(app_of(provider, journal, **options)) as host:
        yield host.client


@contextmanager
def listening(app: Starlette) -> Iterator[str]:
    """URL of an app behind a real listener."""
    with serving_app(lambda: app, Settings(bucket="none", port=0)) as endpoint:
        yield endpoint.removesuffix("/mcp")


def contents_of(data: bytes) -> dict[str, bytes]:
    """Names in their order and the bytes of each, every CRC checked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}
