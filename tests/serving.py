"""Our own server over a bucket, in a thread of this process, for hosts that come over HTTP.

The same app, listener and kind of upload that `skills-gateway demo` has; no setting of the environment.
"""

import asyncio
import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import uvicorn
from pydantic import SecretStr
from starlette.applications import Starlette

from gateway.asgi import app_over
from gateway.cli.server import bind, endpoint_of, server_config
from gateway.cli.upload import Upload, upload
from gateway.objects import ObjectKey
from gateway.settings import Settings
from tests.stores import Bucket

_START_WITHIN_S = _STOP_WITHIN_S = 30.0


@contextmanager
def serving(bucket: Bucket, **changes: Any) -> Iterator[str]:
    """URL of the endpoint of a server over `bucket`, until the block ends; `changes` are settings."""
    key = SecretStr(secrets.token_urlsafe(32))
    settings = Settings(bucket=bucket.name, port=0, allow_binary=True, cursor_keys=(key,), **changes)
    with listening(lambda: app_over(bucket.open, settings), settings) as endpoint:
        yield endpoint


@contextmanager
def listening(build: Callable[[], Starlette], settings: Settings) -> Iterator[str]:
    """URL of the endpoint of any app, behind our own listener, until the block ends."""
    with bind(settings) as listener:
        server = _Server(server_config(build, settings))
        thread = Thread(target=server.run, args=([listener],), name="gateway")
        thread.start()
        try:
            if not server.is_up():
                raise AssertionError("the gateway did not start; its log lines say why")
            yield endpoint_of(settings, listener)
        finally:
            server.should_exit = True
            thread.join(_STOP_WITHIN_S)


class _Server(uvicorn.Server):
    """Tells another thread that it answers, or that it never will."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._tried = Event()

    def is_up(self) -> bool:
        return self._tried.wait(_START_WITHIN_S) and self.started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self._tried.set()


def every_file(folder: Path) -> tuple[Upload, ...]:
    """All that lies in `folder`, hidden files too: what a bucket holds that another program filled."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return tuple(Upload(file, ObjectKey(file.relative_to(folder).as_posix()), file.stat().st_size) for file in files)


def fill(bucket: Bucket, uploads: Sequence[Upload]) -> None:
    """Put `uploads` into the bucket, as the demo does, a few at once. Raises what the store raises."""

    async def run() -> None:
        async with bucket.open() as store:
            await upload(uploads, store, lambda one: None)

    asyncio.run(run())
