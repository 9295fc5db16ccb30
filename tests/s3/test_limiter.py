"""How many calls are under way at once: the arithmetic, the queue, and what the wire makes of it."""

import asyncio
import logging
from contextlib import AsyncExitStack
from functools import reduce

import pytest

from gateway.errors import StoreUnavailable
from gateway.objects import ListPage, ObjectKey
from gateway.s3 import open_store
from gateway.s3.limiter import CUT_INTERVAL_S, Allowance, Limiter
from tests.s3.wire import answering, error, response

LISTING = response("200 OK", b"<ListBucketResult></ListBucketResult>")


def answers(allowance: Allowance, count: int) -> Allowance:
    return reduce(lambda seen, _: seen.after_answer(), range(count), allowance)


async def turns(count: int = 20) -> None:
    """Let every task that can go on do so."""
    for _ in range(count):
        await asyncio.sleep(0)


async def holding(limiter: Limiter, count: int) -> AsyncExitStack:
    stack = AsyncExitStack()
    for _ in range(count):
        await stack.enter_async_context(limiter.place())
    return stack


def test_a_refusal_halves_what_is_allowed_and_never_below_one() -> None:
    """[RFC 5681: multiplicative decrease]"""
    allowance, seen = Allowance(9, 9), list[int]()
    for second in range(6):
        allowance = allowance.after_refusal(second * CUT_INTERVAL_S)
        seen.append(allowance.allowed)
    assert seen == [4, 2, 1, 1, 1, 1]


def test_refusals_of_calls_that_were_under_way_together_halve_once() -> None:
    """[ours]"""
    allowance = Allowance(32, 32).after_refusal(100.0)
    for late_s in (0.0, 0.1, CUT_INTERVAL_S * 0.99):
        assert allowance.after_refusal(100.0 + late_s) == allowance
    assert allowance.after_refusal(100.0 + CUT_INTERVAL_S).allowed == 8


def test_as_many_answers_as_are_allowed_allow_one_more_up_to_the_most() -> None:
    """[RFC 5681: additive increase]"""
    allowance = Allowance(4, 4).after_refusal(0.0)
    assert [answers(allowance, count).allowed for count in (0, 1, 2, 4, 5, 9)] == [2, 2, 3, 3, 4, 4]
    assert answers(allowance, 5).is_whole
    assert answers(Allowance(1, 1).after_refusal(0.0), 1) == Allowance(1, 1, 0, 0.0)


def test_a_refusal_takes_back_what_was_earned_towards_the_next_place() -> None:
    """[ours]"""
    cut = answers(Allowance(8, 8).after_refusal(0.0), 3).after_refusal(5.0)
    assert cut == Allowance(8, 2, 0, 5.0)


async def test_places_are_given_in_the_order_they_were_asked_for() -> None:
    """[ours: first come, first served]"""
    limiter, order = Limiter(2), list[int]()

    async def call(number: int) -> None:
        async with limiter.place():
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(call(number) for number in range(20)))
    assert order == list(range(20))


async def test_no_more_are_under_way_than_allowed_after_a_cut_and_all_again_when_it_is_whole() -> None:
    """[ours]"""
    limiter = Limiter(4)
    first = await holding(limiter, 4)
    limiter.refused(0.0)
    rest = [asyncio.create_task(holding(limiter, 1)) for _ in range(4)]
    await first.aclose()
    await turns()
    assert [task.done() for task in rest] == [True, True, False, False]
    for _ in range(2 + 3):
        limiter.answered()
    await turns()
    assert [task.done() for task in rest] == [True] * 4
    for task in rest:
        await task.result().aclose()


async def test_a_waiter_that_is_cancelled_loses_no_place() -> None:
    """[ours: before its turn, at its turn, and while it holds one]"""
    limiter = Limiter(1)
    first = await holding(limiter, 1)
    early, at_turn, last = (asyncio.create_task(holding(limiter, 1)) for _ in range(3))
    await turns()
    early.cancel()
    await turns()
    await first.aclose()  # the place is at_turn's now, which does not know it yet
    at_turn.cancel()
    assert await asyncio.wait_for(last, 5)
    assert (early.cancelled(), at_turn.cancelled()) == (True, True)
    await last.result().aclose()
    await (await asyncio.wait_for(holding(limiter, 1), 5)).aclose()


async def test_a_call_that_fails_gives_its_place_back() -> None:
    """[ours]"""
    limiter = Limiter(1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            async with limiter.place():
                raise ZeroDivisionError
    await (await asyncio.wait_for(holding(limiter, 1), 5)).aclose()


def test_backing_off_is_one_line_and_being_whole_again_another(caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    caplog.set_level(logging.INFO, "gateway.s3.limiter")
    limiter = Limiter(4)
    for second in range(3):
        limiter.refused(second * CUT_INTERVAL_S)
    for _ in range(20):
        limiter.answered()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "the store asks for fewer requests: 2 calls at once, not 4"),
        ("INFO", "the store keeps up again: 4 calls at once"),
    ]


async def test_a_slow_down_that_was_waited_out_is_seen_by_the_limiter(caplog: pytest.LogCaptureFixture) -> None:
    """[botocore response-received, once for each attempt]"""
    caplog.set_level(logging.INFO, "gateway.s3.limiter")
    async with answering(error("503 Slow Down", "SlowDown"), LISTING) as wire:
        async with open_store(wire.options(max_attempts=2, max_concurrency=2)) as store:
            assert await store.list_page("") == ListPage(())
            assert len(caplog.records) == 2
        assert len(wire.requests) == 2
    assert "fewer requests: 1 calls at once, not 2" in caplog.text
    assert "keeps up again: 2 calls at once" in caplog.text


@pytest.mark.parametrize(
    ("status", "is_cut"),
    [("503 Slow Down", True), ("429 Too Many", True), ("500 Internal Server Error", False), ("404 Not Found", False)],
)
async def test_a_head_asks_for_less_by_its_status_alone(
    status: str, is_cut: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """[S3: the answer to a HEAD has no body to say SlowDown in]"""
    async with answering(response(status)) as wire, open_store(wire.options()) as store:
        for _ in range(3):
            with pytest.raises(Exception, match=r"the store answered|no such bucket") as caught:
                await store.head(ObjectKey("k"))
    assert ("fewer requests" in caplog.text) == is_cut
    assert isinstance(caught.value, StoreUnavailable) == (not status.startswith("404"))
