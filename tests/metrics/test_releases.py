"""What is told of releases: the one that is served and no other, when its channel was last seen, and looks in vain."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.asgi import app_over
from gateway.metrics.exposition import exposed
from gateway.metrics.instruments import RELEASE_INFO
from gateway.releases.repository import Repository
from gateway.settings import Settings
from tests.metrics.scrapes import Rows, growth, rows_at
from tests.protocol.host import serving
from tests.releases.stored import many, publish, store_release
from tests.releases.test_workers import gateway as started
from tests.stores import S3Bucket

WITHIN_S = 30.0
POLL_S = 0.2


@pytest.fixture(autouse=True)
def of_no_other_test() -> None:
    """A gateway that stops takes its process along, and its rows with that."""
    RELEASE_INFO.clear()


@asynccontextmanager
async def gateway(bucket: S3Bucket, port: int, release: str = "") -> AsyncIterator[None]:
    """One that looks at its channel all the time, scraped at `port`."""
    keys = ("k" * 32,)
    settings = Settings(
        bucket=bucket.name,
        cursor_keys=keys,
        metrics_port=port,
        source="releases",
        channel_poll_s=POLL_S,
        release=release,
    )
    with exposed("127.0.0.1", port, workers=1):
        async with serving(app_over(bucket.open, settings)):
            yield


async def becomes(told: Callable[[], object], wanted: object) -> None:
    until = time.monotonic() + WITHIN_S
    while (seen := await asyncio.to_thread(told)) != wanted:
        assert time.monotonic() < until, seen
        await asyncio.sleep(0.2)


async def test_the_release_that_is_served_has_the_one_row(conditional_bucket: S3Bucket, free_port: int) -> None:
    """[Prometheus, info metrics] The row of the one before goes when the channel moves."""

    def served() -> object:
        return rows_at(free_port, "release_info", variant="default")

    async with conditional_bucket.open() as store:
        repository = Repository(store, "")
        before = await publish(repository, many(3))
        async with gateway(conditional_bucket, free_port):
            await becomes(served, {("stable", before.id): 1})
            after = await publish(repository, many(4))
            await becomes(served, {("stable", after.id): 1})


async def test_a_channel_that_is_gone_is_a_look_in_vain_and_no_longer_seen(
    conditional_bucket: S3Bucket, free_port: int
) -> None:
    """[ours] What is served stays served; how old it may be grows."""

    def last_look() -> float:
        return rows_at(free_port, "last_look_timestamp_seconds")["default",]

    def in_vain() -> Rows:
        return rows_at(free_port, "failed_looks_total", variant="default")

    def failing() -> float:
        return rows_at(free_port, "source_failing")["default",]

    async with conditional_bucket.open() as store:
        repository = Repository(store, "")
        release = await publish(repository, many(3))
        began = time.time()
        async with gateway(conditional_bucket, free_port):
            await becomes(lambda: last_look() >= began, True)
            first = last_look()
            await becomes(lambda: last_look() > first, True)
            before = in_vain()
            await store.delete(repository.layout.channel("stable"))
            await becomes(failing, 1)
            stood = last_look()
            await becomes(lambda: set(growth(before, in_vain())), {("channel_missing",)})
            failed = in_vain()["channel_missing",]
            await becomes(lambda: in_vain()["channel_missing",] > failed, True)
            assert last_look() == stood
            assert rows_at(free_port, "release_info", variant="default") == {("stable", release.id): 1}


async def test_a_pinned_release_is_told_without_a_channel(conditional_bucket: S3Bucket, free_port: int) -> None:
    """[ours: pin]"""
    async with conditional_bucket.open() as store:
        release = await store_release(Repository(store, ""), many(3))
        async with gateway(conditional_bucket, free_port, release.id):
            await becomes(lambda: rows_at(free_port, "release_info", variant="default"), {("", release.id): 1})


async def test_workers_tell_the_release_that_they_serve_and_no_other(
    moto_bucket: S3Bucket, tmp_path: Path, free_port: int
) -> None:
    """[prometheus_client, Multiprocess mode] A row cannot be taken out of a file: it is left out of the answer."""

    def told() -> object:
        return rows_at(free_port, "release_info")

    async with moto_bucket.open() as store:
        repository = Repository(store, "")
        before = await publish(repository, many(3))
        settings = {"workers": "2", "metrics_port": str(free_port), "channel_poll_s": str(POLL_S)}
        began = time.time()
        async with started(moto_bucket, tmp_path, **settings):
            await becomes(told, {("stable", before.id, "default"): 1})
            assert rows_at(free_port, "last_look_timestamp_seconds")["default",] >= began
            after = await publish(repository, many(4))
            await becomes(told, {("stable", after.id, "default"): 1})
