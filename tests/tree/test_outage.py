"""The store is slow, throttles, or is down: old answers for a bounded time, and never wrong ones."""

import asyncio
import dataclasses
import logging

import pytest

from gateway.errors import AccessDenied, BucketMissing, StoreError, StoreThrottled, StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.objects import ListPage, ObjectHead, ObjectKey, ObjectSlice
from gateway.provider import Page
from gateway.skill.model import SkillPath
from gateway.tree.options import TreeOptions
from tests.tree.trees import ANYONE, Clock, entry_of, provider_of, skill_md

A = SkillPath("org/a")
FILES = {"SKILL.md": skill_md("a"), "notes.md": b"notes"}
OBJECTS = {f"org/a/{name}": data for name, data in FILES.items()}
FIRST = Page(limit=50)


class FailingStore(MemoryStore):
    """Fails with `fault` when there is one; with `hangs` a call ends, and fails, only when `deadline` comes."""

    def __init__(self) -> None:
        super().__init__(OBJECTS)
        self.fault: StoreError | None = None
        self.hangs = False
        self.deadline = asyncio.Event()
        self.refused = 0

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        await self._answer()
        return await super().list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)

    async def head(self, key: ObjectKey) -> ObjectHead:
        await self._answer()
        return await super().head(key)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        await self._answer()
        return await super().get(key, max_bytes=max_bytes, if_match=if_match)

    async def _answer(self) -> None:
        self.refused += self.hangs or self.fault is not None
        if self.hangs:
            await self.deadline.wait()
            raise StoreUnavailable("no answer in time")
        if self.fault is not None:
            raise self.fault


OPTIONS = TreeOptions(freshness_s=5, stale_if_error_s=60)
"""Patience is real time, so only a store that hangs is met with little: others answer however busy the machine is."""


@pytest.mark.parametrize("fault", [StoreUnavailable("down"), StoreThrottled("slow down"), None], ids=str)
async def test_while_the_store_fails_or_hangs_what_is_remembered_is_served_and_then_no_more(
    fault: StoreError | None,
) -> None:
    """[ours: stale-if-error for a bounded time, then storage is unavailable]"""
    store, clock = FailingStore(), Clock()
    options = dataclasses.replace(OPTIONS, patience_s=0.01 if fault is None else OPTIONS.patience_s)
    provider = provider_of(store, options=options, now=clock)
    page = await provider.list(FIRST, ANYONE)
    content = await provider.read(A, "notes.md", ANYONE)
    store.fault, store.hangs = fault, fault is None
    for waited_s in (6, 30, 28.9):
        clock.now_s += waited_s
        assert await provider.list(FIRST, ANYONE) is page
        assert await provider.get(A, ANYONE) is page.entries[0]
        assert await provider.read(A, "notes.md", ANYONE) is content
    clock.now_s += 0.1
    store.fault, store.hangs = StoreUnavailable("down"), False
    store.deadline.set()
    for question in (provider.list(FIRST, ANYONE), provider.get(A, ANYONE), provider.read(A, "notes.md", ANYONE)):
        with pytest.raises(StoreUnavailable):
            await question


async def test_in_an_outage_the_store_is_asked_once_in_a_while_and_not_by_everybody() -> None:
    """[ours: a slow store does not hold every request up]"""
    store, clock = FailingStore(), Clock()
    provider = provider_of(store, options=OPTIONS, now=clock)
    await provider.list(FIRST, ANYONE)
    store.fault = StoreUnavailable("down")
    clock.now_s += 6
    for _ in range(20):
        await provider.list(FIRST, ANYONE)
        await provider.get(A, ANYONE)
    assert store.refused == 1
    clock.now_s += 5
    await provider.get(A, ANYONE)
    assert store.refused == 2


async def test_an_outage_is_logged_when_it_begins_and_when_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    """[ours: a log line]"""
    caplog.set_level(logging.INFO, "gateway.tree.outage")
    store, clock = FailingStore(), Clock()
    provider = provider_of(store, options=OPTIONS, now=clock)
    await provider.list(FIRST, ANYONE)
    store.fault = StoreUnavailable("nobody listens")
    for _ in range(3):
        clock.now_s += 6
        await provider.list(FIRST, ANYONE)
    store.fault = None
    clock.now_s += 6
    await provider.list(FIRST, ANYONE)
    assert [(record.levelname, "nobody listens" in record.message) for record in caplog.records] == [
        ("WARNING", True),
        ("INFO", False),
    ]


@pytest.mark.parametrize("fault", [AccessDenied("no"), BucketMissing("gone")])
async def test_a_store_that_refuses_us_is_no_outage(fault: StoreError) -> None:
    """[ours: an answer is an answer]"""
    store, clock = FailingStore(), Clock()
    provider = provider_of(store, options=OPTIONS, now=clock)
    await provider.list(FIRST, ANYONE)
    store.fault = fault
    clock.now_s += 6
    with pytest.raises(type(fault)):
        await provider.list(FIRST, ANYONE)


async def test_without_an_allowance_for_stale_answers_a_failure_is_one() -> None:
    """[ours: GATEWAY_STALE_IF_ERROR_S=0]"""
    store, clock = FailingStore(), Clock()
    provider = provider_of(store, options=TreeOptions(freshness_s=5, stale_if_error_s=0), now=clock)
    await provider.list(FIRST, ANYONE)
    store.fault = StoreUnavailable("down")
    clock.now_s += 6
    with pytest.raises(StoreUnavailable):
        await provider.list(FIRST, ANYONE)


async def test_when_the_store_answers_again_so_does_the_provider() -> None:
    """[ours]"""
    store, clock = FailingStore(), Clock()
    provider = provider_of(store, options=OPTIONS, now=clock)
    old = await provider.get(A, ANYONE)
    store.fault = StoreUnavailable("down")
    clock.now_s += 6
    assert await provider.get(A, ANYONE) is old
    store.fault = None
    store.store("org/a/notes.md", b"new notes")
    clock.now_s += 6
    assert await provider.get(A, ANYONE) == entry_of("org/a", FILES | {"notes.md": b"new notes"})


async def test_what_is_known_to_have_changed_is_not_served_in_an_outage() -> None:
    """[ours: never the stale entry again]"""
    store, clock = FailingStore(), Clock()
    provider = provider_of(store, options=TreeOptions(freshness_s=5, content_cache_bytes=0), now=clock)
    await provider.list(FIRST, ANYONE)
    store.store("org/a/notes.md", b"new notes")
    assert (await provider.read(A, "notes.md", ANYONE)).data == b"new notes"
    store.fault = StoreUnavailable("down")
    with pytest.raises(StoreUnavailable):
        await provider.list(FIRST, ANYONE)
