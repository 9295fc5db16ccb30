"""The lane in the app that settings make, over a tree in an object store."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette

from gateway.asgi import app_over
from gateway.errors import StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectKey, ObjectStore
from gateway.settings import Settings
from tests.lane import apps
from tests.lane.apps import Answer, Started, registered, started
from tests.lane.providers import WarmShelf, shelf
from tests.lane.requests import Case, every, good
from tests.protocol.host import ERAS, Era
from tests.protocol.providers import skill_md
from tests.protocol.uris import NOTHING, OBJECTS, REFUSED, SERVED

GOOD_URI = "skill://team/x/SKILL.md"


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


def app_of(store: MemoryStore, **changes: Any) -> Starlette:
    @asynccontextmanager
    async def open_store() -> AsyncIterator[ObjectStore]:
        yield store

    settings = {"bucket": "skills", "page_size": 3, "freshness_s": 3600, "cursor_keys": (SecretStr("k" * 32),)}
    return app_over(open_store, Settings(**{**settings, **changes}))


async def sent(app: Started, case: Case) -> Answer:
    return await app.post(case.body, case.headers)


async def test_a_tree_is_answered_from_memory_and_as_the_sdk_answers(era: Era) -> None:
    """[ours] Each page, each skill, each spelling of a file, and each refusal; the store is asked nothing more."""
    store = MemoryStore(OBJECTS)
    async with started(app_of(store)) as laned, started(app_of(MemoryStore(OBJECTS), fast_lane=False)) as bare:
        cases = [good(era, "resources/read", {"uri": uri}) for uri in (*SERVED, *NOTHING, *REFUSED)]
        cases += [good(era, "skills/get", {"uri": uri}) for uri in (*SERVED, *NOTHING, *REFUSED)]
        cursor: dict[str, str] = {}
        while True:
            cases.append(good(era, "skills/list", cursor))
            page = json.loads((await sent(laned, cases[-1])).body)["result"]
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        for case in cases:
            assert await sent(laned, case) == await sent(bare, case)
        calls, hits = store.calls.total(), laned.hits
        served = [case for case in cases if '"result"' in (await sent(laned, case)).body]
        assert (store.calls.total(), laned.hits - hits) == (calls, len(served))
        assert len(served) == len(SERVED) + sum(uri.endswith("/SKILL.md") for uri in SERVED) + 3


async def test_without_freshness_the_lane_answers_nothing() -> None:
    """[ours] The store is asked each time, by the SDK's way."""
    async with started(app_of(MemoryStore(OBJECTS), freshness_s=0)) as app:
        for case in [*every(), *every()]:
            assert (await sent(app, case)).status == 200
        assert app.hits == 0


async def test_the_lane_can_be_switched_off() -> None:
    """[ours]"""
    async with started(app_of(MemoryStore(OBJECTS), fast_lane=False)) as app:
        assert app.state["lanes"][""] is None
        assert [(await sent(app, case)).status for case in every()] == [200] * 6


async def test_an_object_that_changed_is_not_answered_from_memory(era: Era) -> None:
    """[ours] The SDK's way finds it changed; then both know."""
    store = MemoryStore({"x/SKILL.md": skill_md("x"), "x/a.md": b"old"})
    case = good(era, "resources/read", {"uri": "skill://x/a.md"})
    async with started(app_of(store, freshness_s=3600, content_cache_bytes=0)) as app:
        assert '"old"' in (await sent(app, case)).body
        await store.put(ObjectKey("x/a.md"), b"new")
        assert '"new"' in (await sent(app, case)).body
        assert app.hits == 0


async def test_the_lane_is_only_at_the_endpoint() -> None:
    """[ours]"""
    async with started(apps.app_over(registered(), has_lane=True)) as app:
        case = good("modern", "skills/list")
        assert [(await app.post(case.body, case.headers, path)).status for path in ("/mcp", "/", "/mcp2")] == [
            200,
            404,
            404,
        ]
        assert (await app.post(case.body, case.headers, "/mcp/")).status == 307
        assert app.hits == 1


async def test_hits_are_counted_by_method() -> None:
    """[ours] And by era."""
    async with started(apps.app_over(registered(), has_lane=True)) as app:
        for case in [*every(), *every()]:
            await sent(app, case)
        counted = app.state["lanes"][""].hits
    # A read is a hit once somebody looked who owns the file, and that holds for both eras.
    methods = {method: sum(counted[method, is_modern] for is_modern in (True, False)) for method, _ in counted}
    assert methods == {"skills/list": 4, "skills/get": 4, "resources/read": 3}
    assert counted["skills/list", True] == counted["skills/list", False] == 2


class Failing(WarmShelf):
    """Breaks where it must not; asked the other way, its store is down."""

    def warm_list(self, page: Any, caller: Any) -> Any:
        raise RuntimeError("broken")

    async def list(self, page: Any, caller: Any) -> Any:
        raise StoreUnavailable("down")


async def test_a_lane_that_fails_hands_on_and_is_heard_of(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[ours] The client gets what the SDK's way says."""
    async with started(apps.app_over(Failing(), has_lane=True)) as app:
        answer = await sent(app, good(era, "skills/list"))
    assert json.loads(answer.body)["error"] == {"code": -32603, "message": "Storage is unavailable; try again later"}
    assert [record.name for record in caplog.records if record.levelno >= logging.ERROR] == [
        "gateway.web.lane",
        "gateway.protocol.faults",
    ]


async def test_a_refusal_is_logged_once(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """[ours] By the way that answers it."""
    caplog.set_level(logging.INFO, "gateway")
    async with started(apps.app_over(shelf("a"), has_lane=True)) as app:
        answer = await sent(app, good(era, "skills/list", {"cursor": "AAAA"}))
    assert json.loads(answer.body)["error"]["code"] == -32602
    assert [record.getMessage() for record in caplog.records if "cursor" in record.getMessage()] == [
        "cursor of skills/list refused: not_ours"
    ]
