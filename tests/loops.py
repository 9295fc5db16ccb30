"""Whether the event loop has its turn while something takes long."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass
class Turns:
    """How often the loop came around, at most once a millisecond."""

    count: int = 0


@asynccontextmanager
async def counted_turns() -> AsyncGenerator[Turns]:
    """Counts while the block runs."""
    turns = Turns()

    async def count() -> None:
        while True:
            await asyncio.sleep(0.001)
            turns.count += 1

    counting = asyncio.create_task(count())
    try:
        yield turns
    finally:
        counting.cancel()
