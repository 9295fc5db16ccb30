"""Looking again and again while the app runs: at a channel, or at a tree.

A look that fails is logged and the next one comes all the same: nothing of it reaches a request.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import SystemRandom

logger = logging.getLogger(__name__)

_LEAST = 0.75
"""Part of the interval that a pause lasts at least: replicas that start together soon ask apart."""

_uniform = SystemRandom().uniform


@asynccontextmanager
async def polling(look: Callable[[], Awaitable[object]], every_s: float, *, patience_s: float) -> AsyncGenerator[None]:
    """Look now and then at least each `every_s` seconds until the block ends.

    The block begins after the first look, or after `patience_s` when that takes longer.
    """
    looked = asyncio.Event()
    task = asyncio.create_task(_poll(look, every_s, looked))
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await looked.wait()
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _poll(look: Callable[[], Awaitable[object]], every_s: float, looked: asyncio.Event) -> None:
    while True:
        try:
            await look()
        except Exception:
            logger.exception("looking for changes: unexpected error")
        looked.set()
        await asyncio.sleep(every_s * _uniform(_LEAST, 1.0))
