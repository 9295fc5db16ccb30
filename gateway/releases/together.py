"""Many calls to a store at once, a bounded number at a time, and none left running after a failure."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

AT_ONCE = 8


async def for_each(items: AsyncIterator[T], work: Callable[[T], Awaitable[object]], at_once: int = AT_ONCE) -> None:
    """Do `work` for every item, `at_once` under way at a time. The first error ends the others and is raised."""
    turn = asyncio.Lock()  # an async generator cannot be asked twice at once

    async def take_turns() -> None:
        while True:
            async with turn:
                try:
                    item = await anext(items)
                except StopAsyncIteration:
                    return
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(take_turns())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
