"""A running gateway over releases: what its clients hear and see when the channel moves, and while it does."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event
from typing import Any

import aiohttp
from mcp import Client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated

from gateway.local.memory import MemoryStore
from gateway.releases.repository import Repository
from tests.clients.test_sdk_client import everything
from tests.coherence.readers import Book, Reader, whole
from tests.lane.apps import app_over, started
from tests.lane.requests import Case, good
from tests.protocol.host import ERAS
from tests.releases.stored import Skill, follower_of, many, point, provider_over, publish
from tests.serving import serving
from tests.stores import S3Bucket

WITHIN_S = 10.0
READERS = 20
RELEASES = 20
SKILLS = 6


async def next_event(events: Any) -> object:
    async with asyncio.timeout(WITHIN_S):
        return await anext(events)


async def test_a_rollback_reaches_a_running_gateway_and_its_listeners(conditional_bucket: S3Bucket) -> None:
    """[ours] Within the interval, without a restart; files with other bytes are named."""
    interval_s = 0.2
    async with conditional_bucket.open() as store:
        repository = Repository(store, "")
        one = await publish(repository, [Skill("kit", "One.", {"a.md": b"1", "b.md": b"1"})])
        await publish(repository, [Skill("kit", "Two.", {"a.md": b"2", "b.md": b"1"})])
        with serving(conditional_bucket, channel_poll_s=interval_s) as url:
            async with (
                Client(url) as client,
                client.listen(
                    resources_list_changed=True, resource_subscriptions=["skill://kit/a.md", "skill://kit/b.md"]
                ) as events,
            ):
                assert await descriptions(client) == ["Two."]
                moved_at = time.monotonic()
                await point(repository, one)
                assert await next_event(events) == ResourcesListChanged()
                assert time.monotonic() - moved_at < interval_s + 2
                assert await next_event(events) == ResourceUpdated("skill://kit/a.md")
                assert await descriptions(client) == ["One."]


async def descriptions(client: Client) -> list[str]:
    return [skill["frontmatter"]["description"] for skill in await everything(client, "skills/list", "skills")]


async def test_releases_are_answered_by_the_fast_lane() -> None:
    """[ours] In both eras, each the second time; after a swap with the new release, and by cursor with the old one."""
    store = MemoryStore()
    repository = Repository(store, "")
    follower = follower_of(store)
    async with started(app_over(provider_over(store, follower), has_lane=True, page_size=1)) as app:
        for description in ("Old.", "New."):
            await publish(repository, [Skill("team/x", description), Skill("team/y", description)])
            assert await follower.look()
            for case in cases():
                await app.post(case.body, case.headers)
            hits = app.hits
            answers = [await app.post(case.body, case.headers) for case in cases()]
            assert all(description in answer.body for answer in answers)
            assert app.hits - hits == len(answers)
            if description == "Old.":
                cursor = json.loads(answers[0].body)["result"]["nextCursor"]
        following = good("modern", "skills/list", {"cursor": cursor})
        answers = [await app.post(following.body, following.headers) for _ in range(2)]
        assert [(answer.body.count("Old."), answer.body.count("New.")) for answer in answers] == [(1, 0), (1, 0)]


def cases() -> list[Case]:
    uri = {"uri": "skill://team/x/SKILL.md"}
    methods: list[tuple[str, dict[str, str]]] = [("skills/list", {}), ("skills/get", uri), ("resources/read", uri)]
    return [good(era, method, params) for era in ERAS for method, params in methods]


class PagingReader(Reader):
    """A strict reader that walks all pages; every walk must be of one release."""

    def __init__(self, http: aiohttp.ClientSession, url: str, number: int, progress: asyncio.Event) -> None:
        self.book, self._progress = Book(), progress
        super().__init__(http, url, ERAS[number % 2], self.book)

    async def read_until(self, stopped: Event, seed: int) -> None:
        choice = random.Random(seed)
        while not stopped.is_set():
            skills = await self._walk()
            versions = {skill["frontmatter"]["description"] for skill in skills}
            assert (len(skills), len(versions)) == (SKILLS, 1), f"a mixture: {versions}"
            await self._verify(choice.choice(skills))
            self._progress.set()

    async def _walk(self) -> list[dict[str, Any]]:
        skills: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            page = await self._call("skills/list", **cursor)
            skills += page["skills"]
            if "nextCursor" not in page:
                return skills
            cursor = {"cursor": page["nextCursor"]}


def release_of(version: int) -> list[Skill]:
    text = f"{version} " * (version % 7 * 40 + 1)
    return [
        Skill(f"skill-{number}", f"Version {version}.", {"a.md": whole(f"a {text}")}, whole(f"body {text}").decode())
        for number in range(SKILLS)
    ]


async def test_twenty_releases_in_a_row_under_strict_readers(conditional_bucket: S3Bucket) -> None:
    """[ours] No reader ever sees a mixture, and every mismatch resolves by one `skills/get`."""
    progress, stopped = asyncio.Event(), Event()
    async with conditional_bucket.open() as store:
        repository = Repository(store, "")
        await publish(repository, release_of(0))
        with serving(conditional_bucket, channel_poll_s=0.05, page_size=2) as url:
            connector = aiohttp.TCPConnector(limit=READERS)
            async with aiohttp.ClientSession(connector=connector) as http, asyncio.timeout(60):
                readers = [PagingReader(http, url, number, progress) for number in range(READERS)]
                async with asyncio.TaskGroup() as group:
                    for number, reader in enumerate(readers):
                        group.create_task(reader.read_until(stopped, number))
                    for version in range(1, RELEASES + 1):
                        await publish(repository, release_of(version))
                        while not all(f"Version {version}." in reader.book.versions for reader in readers):
                            await progress.wait()
                            progress.clear()
                    stopped.set()
    loops = [count for reader in readers for count in reader.book.loops]
    assert len(loops) >= READERS * RELEASES
    assert max(loops) == 1, "no reader met a change, or one had to begin again twice"


async def test_an_open_stream_does_not_hold_the_end_up(moto_bucket: S3Bucket, tmp_path: Path) -> None:
    """[ours] SIGTERM ends it with a result, and the process with it."""
    assert moto_bucket.options
    async with moto_bucket.open() as store:
        await publish(Repository(store, ""), many(3))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    environment |= {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "GATEWAY_SHUTDOWN_TIMEOUT_S": "60",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    arguments = ["serve", "--bucket", moto_bucket.name, "--endpoint-url", str(moto_bucket.options.endpoint_url)]
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", "from gateway.cli.main import main; main()", *arguments],
        *["--region", "us-east-1", "--port", "0"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(30):
            lines = [line.decode() async for line in until_serving(process.stderr)]
            assert any("source: releases under ''" in line for line in lines), lines
            async with (
                Client(lines[-1].split()[-1]) as client,
                client.listen(resources_list_changed=True) as events,
            ):
                process.send_signal(signal.SIGTERM)
                signalled = time.monotonic()
                assert [event async for event in events] == []
            assert await process.wait() == 0
            assert time.monotonic() - signalled < 5
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def until_serving(stream: asyncio.StreamReader):  # type: ignore[no-untyped-def]
    async for line in stream:
        yield line
        if line.startswith(b"serving "):
            return
