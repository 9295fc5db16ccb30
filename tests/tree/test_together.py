"""Many questions at once: in order, bounded, and over when one fails."""

import asyncio

import pytest

from gateway.errors import AccessDenied
from gateway.tree.together import together


async def test_answers_come_in_the_order_of_the_questions_and_a_bounded_number_is_asked_at_once() -> None:
    """[ours: memory does not grow with the files of a skill]"""
    running = most = 0

    async def ask(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return number

    assert await together(ask(number) for number in range(1000)) == list(range(1000))
    assert 1 < most <= 64


async def test_the_first_error_ends_the_questions_that_are_under_way() -> None:
    """[ours: a failed request stops asking the store]"""
    never = asyncio.Event()
    started: list[asyncio.Task[object]] = []

    async def ask(number: int) -> None:
        task = asyncio.current_task()
        assert task is not None
        started.append(task)
        if number == 5:
            raise ValueError(number)
        await never.wait()

    with pytest.raises(ValueError, match="5"):
        await together(ask(number) for number in range(1000))
    await asyncio.wait(started)
    assert len(started) <= 64
    assert sum(task.cancelled() for task in started) == len(started) - 1


async def test_of_objects_that_are_denied_the_first_in_order_is_named() -> None:
    """[ours: the same problem each time] Whichever answer comes first."""

    async def ask(number: int) -> None:
        await asyncio.sleep(0.001 * (10 - number))
        if number >= 3:
            raise AccessDenied(str(number))

    with pytest.raises(AccessDenied, match="3"):
        await together(ask(number) for number in range(10))
