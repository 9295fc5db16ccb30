"""`/livez` and `/readyz`, on values."""

import asyncio
import json
import logging
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.requests import Request

from gateway.errors import BucketMissing, ClockSkew, GatewayError, StoreUnavailable
from gateway.web.health import READY_CACHE_S, Health

REQUEST = Request({"type": "http", "method": "GET", "path": "/readyz", "headers": []})


@dataclass
class Store:
    """Answers or fails as told, and counts how often it was asked."""

    failure: Exception | None = None
    asked: int = 0
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self) -> None:
        self.asked += 1
        if self.failure is not None:
            raise self.failure

    async def ask_and_wait(self) -> None:
        self.asked += 1
        self.was_asked.set()
        await self.may_answer.wait()


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


async def ready(health: Health) -> tuple[int, Any]:
    answer = await health.ready(REQUEST)
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, json.loads(bytes(answer.body))


async def test_a_store_that_answers_is_ready() -> None:
    """[ours]"""
    assert await ready(Health(Store().ask, timeout_s=1)) == (200, {"status": "ok"})


async def test_the_log_has_one_line_when_readiness_ends_and_one_when_it_returns(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """[ours: only /readyz may be asked while the store is down]"""
    caplog.set_level(logging.INFO, "gateway.web.health")
    store, clock = Store(), Clock()
    health = Health(store.ask, timeout_s=1, now=clock)
    for failure in (None, StoreUnavailable("no connection"), StoreUnavailable("no connection"), None, None):
        store.failure = failure
        await ready(health)
        clock.now += READY_CACHE_S
    assert caplog.messages == ["not ready: store_unavailable: no connection", "ready again"]


@pytest.mark.parametrize("kind", [StoreUnavailable, BucketMissing, ClockSkew])
async def test_a_store_that_fails_is_not_ready_and_says_why(kind: type[GatewayError]) -> None:
    """[ours]"""
    health = Health(Store(kind("what to do")).ask, timeout_s=1)
    assert await ready(health) == (503, {"status": "unavailable", "reason": kind.reason, "detail": "what to do"})


async def test_a_store_that_stays_silent_is_not_ready() -> None:
    """[ours]"""
    status, body = await ready(Health(Store().ask_and_wait, timeout_s=0.02))
    assert (status, body["reason"]) == (503, "store_unavailable")
    assert body["detail"] == "the store did not answer within 0.02 seconds"


async def test_an_error_nobody_expected_is_not_ready_and_stays_inside(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] A probe must get an answer; what it was is for the log."""
    health = Health(Store(RuntimeError("SECRET")).ask, timeout_s=1)
    detail = "unexpected error; see the log"
    assert await ready(health) == (503, {"status": "unavailable", "reason": "internal", "detail": detail})
    assert "SECRET" in caplog.text


async def test_the_store_is_asked_at_most_once_in_five_seconds() -> None:
    """[ours] Ready or not."""
    for failure in (None, StoreUnavailable("down")):
        store, clock = Store(failure), Clock()
        health = Health(store.ask, timeout_s=1, now=clock)
        for clock.now in (100.0, 101.0, 100 + READY_CACHE_S - 0.01):
            assert (await ready(health))[0] == (503 if failure else 200)
        assert store.asked == 1
        clock.now = 100 + READY_CACHE_S
        await ready(health)
        assert store.asked == 2


async def test_what_was_wrong_is_forgotten_with_the_next_answer() -> None:
    """[ours]"""
    store, clock = Store(StoreUnavailable("down")), Clock()
    health = Health(store.ask, timeout_s=1, now=clock)
    assert (await ready(health))[0] == 503
    store.failure, clock.now = None, 200.0
    assert await ready(health) == (200, {"status": "ok"})


async def test_many_at_once_ask_once() -> None:
    """[ours]"""
    store = Store()
    health = Health(store.ask_and_wait, timeout_s=5)
    waiting = [asyncio.ensure_future(ready(health)) for _ in range(20)]
    await store.was_asked.wait()
    store.may_answer.set()
    assert await asyncio.gather(*waiting) == [(200, {"status": "ok"})] * 20
    assert store.asked == 1


async def test_alive_asks_nobody() -> None:
    """[ours]"""
    store = Store(StoreUnavailable("down"))
    answer = await Health(store.ask, timeout_s=1).live(REQUEST)
    assert (answer.status_code, json.loads(bytes(answer.body)), store.asked) == (200, {"status": "ok"}, 0)
