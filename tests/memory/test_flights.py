"""Identical questions at the same time are one call to the store."""

import asyncio

import pytest

from gateway.errors import StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.memory.flights import Flights
from gateway.objects import ListPage, ObjectKey, ObjectSlice
from gateway.provider import Page
from gateway.skill.model import SkillPath
from gateway.tree.options import TreeOptions
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import ANYONE, Clock, provider_of, skill_md

SKILLS = {f"org/skill-{number:03}/SKILL.md": skill_md(f"skill-{number:03}") for number in range(40)}
BIG = SKILLS | {"org/skill-000/data.json": b"1" * 100_000}


class Questions:
    """Questions that wait for `answer`; `asked` counts them."""

    def __init__(self) -> None:
        self.asked = 0
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def __call__(self) -> str:
        self.asked += 1
        return await self.answer


async def test_fifty_who_ask_at_once_cost_what_one_costs() -> None:
    """[ours: identical concurrent fetches are one S3 call]"""
    alone, crowd = [CountingStore(MemoryStore(BIG)) for _ in range(2)]
    for store, callers in ((alone, 1), (crowd, 50)):
        provider = provider_of(store, options=TreeOptions(freshness_s=0, content_cache_bytes=0))
        pages = await asyncio.gather(*(provider.list(Page(limit=10), ANYONE) for _ in range(callers)))
        assert all(page is pages[0] for page in pages)
        path = SkillPath("org/skill-000")
        entries = await asyncio.gather(*(provider.get(path, ANYONE) for _ in range(callers)))
        assert all(entry is pages[0].entries[0] for entry in entries)
        await asyncio.gather(*(provider.read(path, "data.json", ANYONE) for _ in range(callers)))
    assert crowd.calls == alone.calls


async def test_who_goes_away_leaves_the_answer_to_the_others() -> None:
    """[ours]"""
    flights: Flights[str, str] = Flights(Clock())
    question = Questions()
    first, second = [asyncio.create_task(flights.join("x", question)) for _ in range(2)]
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    question.answer.set_result("here")
    assert await second == "here"
    assert (first.cancelled(), question.asked) == (True, 1)


async def test_a_failure_goes_to_everybody_who_waits_and_to_nobody_after() -> None:
    """[ours]"""
    flights: Flights[str, str] = Flights(Clock())
    question = Questions()
    waiting = [asyncio.create_task(flights.join("x", question)) for _ in range(3)]
    await asyncio.sleep(0)
    question.answer.set_exception(StoreUnavailable("down"))
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 3
    again = Questions()
    again.answer.set_result("up")
    assert await flights.join("x", again) == "up"


async def test_a_question_that_began_before_a_change_is_not_joined_after_it() -> None:
    """[ours: never the stale entry again]"""
    clock = Clock()
    flights: Flights[str, str] = Flights(clock)
    before, after = Questions(), Questions()
    old = asyncio.create_task(flights.join("x", before))
    await asyncio.sleep(0)
    changed_at, clock.now_s = clock.now_s, clock.now_s + 1
    new = asyncio.create_task(flights.join("x", after, begun_after=changed_at))
    await asyncio.sleep(0)
    before.answer.set_result("old")
    after.answer.set_result("new")
    assert (await old, await new) == ("old", "new")


class SlowToFail(MemoryStore):
    """Every call ends only after another one had the time to begin."""

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        await asyncio.sleep(0)
        return await super().list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        await asyncio.sleep(0)
        raise StoreUnavailable(f"{key}: down")


async def test_a_read_that_fails_fails_for_all_who_wait_and_is_asked_again() -> None:
    """[ours]"""
    store = CountingStore(SlowToFail(BIG))
    provider = provider_of(store, options=TreeOptions(freshness_s=60))
    path = SkillPath("org/skill-000")
    await provider.get(path, ANYONE)
    for _ in range(2):
        reads = (provider.read(path, "data.json", ANYONE) for _ in range(5))
        outcomes = await asyncio.gather(*reads, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 5
    with pytest.raises(StoreUnavailable):
        await provider.read(path, "data.json", ANYONE)
