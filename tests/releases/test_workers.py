"""Several worker processes: a publish reaches the listeners of each, and a stop ends them all."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from gateway.releases.repository import Repository
from tests.protocol.host import headers_of, with_meta
from tests.releases.stored import many, publish
from tests.stores import S3Bucket

METHOD = "subscriptions/listen"
STREAMS = 200
POLL_S = 2.0
SLACK_S = 5.0
"""Measured on a quiet machine: 1.3 s until the last one heard of it, 0.7 s for the stop."""
WITHIN_S = 60.0


Running = tuple[str, asyncio.subprocess.Process]


@asynccontextmanager
async def gateway(bucket: S3Bucket, folder: Path, **settings: str) -> AsyncIterator[Running]:
    """URL and process of a gateway of two workers, started as a user starts it; killed when it is still there."""
    assert bucket.options
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    environment |= {
        "AWS_ACCESS_KEY_ID": bucket.options.access_key or "",
        "AWS_SECRET_ACCESS_KEY": bucket.options.secret_key or "",
        "GATEWAY_BUCKET": bucket.name,
        "GATEWAY_ENDPOINT_URL": bucket.options.endpoint_url or "",
        "GATEWAY_REGION": "us-east-1",
        "GATEWAY_CURSOR_KEYS": "k" * 32,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        **{f"GATEWAY_{name.upper()}": value for name, value in settings.items()},
    }
    log = folder / "gateway.log"
    with log.open("wb") as lines:
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-c", "from gateway.cli.main import main; main()", "serve", "--port", "0"],
            cwd=folder,
            env=environment,
            stderr=lines,
            # Its workers would outlive it when it is killed.
            start_new_session=True,
        )
    try:
        yield await asyncio.to_thread(url_in, log), process
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def url_in(log: Path) -> str:
    """The URL that the log tells, once both workers serve the release. Blocks."""
    until = time.monotonic() + WITHIN_S
    while (text := log.read_text()).count("is served") < 2:
        assert time.monotonic() < until, text
        time.sleep(0.05)
    return next(line.split()[-1] for line in text.splitlines() if line.startswith("serving "))


async def listen(http: aiohttp.ClientSession, url: str) -> AsyncIterator[dict[str, Any]]:
    wanted = {"notifications": {"resourcesListChanged": True}}
    body = {"jsonrpc": "2.0", "id": 1, "method": METHOD, "params": with_meta("modern", wanted)}
    async with http.post(url, json=body, headers=headers_of("modern", METHOD)) as answer:
        async for line in answer.content:
            if line.startswith(b"data: {"):
                yield json.loads(line.removeprefix(b"data: "))


async def test_a_publish_reaches_every_listener_of_every_worker_and_a_stop_ends_them(
    conditional_bucket: S3Bucket, tmp_path: Path
) -> None:
    """[ours] Within the interval; the stop with every stream open."""
    async with conditional_bucket.open() as store:
        repository = Repository(store, "")
        await publish(repository, many(3))
        settings = {"workers": "2", "channel_poll_s": str(POLL_S), "shutdown_timeout_s": "60"}
        async with gateway(conditional_bucket, tmp_path, **settings) as (url, process):
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(connector=connector) as http, asyncio.timeout(WITHIN_S):
                streams = [listen(http, url) for _ in range(STREAMS)]
                acknowledged = await asyncio.gather(*(anext(stream) for stream in streams))
                assert {one["method"] for one in acknowledged} == {"notifications/subscriptions/acknowledged"}
                await publish(repository, many(4))
                moved_at = time.monotonic()
                heard = await asyncio.gather(*(anext(stream) for stream in streams))
                assert time.monotonic() - moved_at < POLL_S + SLACK_S
                assert {one["method"] for one in heard} == {"notifications/resources/list_changed"}
                process.terminate()
                stopped_at = time.monotonic()
                assert await process.wait() == 0
                assert time.monotonic() - stopped_at < SLACK_S
