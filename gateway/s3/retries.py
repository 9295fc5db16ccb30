"""Reading an object again when its body broke.

botocore tries again until the headers of an answer are there, in its standard mode with full jitter; what
happens to the body after that is nobody's. Only reads come here, and only for `BodyBroken`: what the store
said of the object or of us is final. The deadline of the call is the caller's.
Source: AWS architecture blog, "Exponential backoff and jitter"; botocore retries/standard.py.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gateway.s3.bodies import BodyBroken

T = TypeVar("T")

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 5.0


def wait_s(attempts: int, draw: float) -> float:
    """How long to wait after `attempts` attempts (1 or more) that failed, in seconds.

    `draw` is random in [0, 1): full jitter, a part of a bound that doubles, so that those who failed together do
    not come back together.
    """
    return draw * min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempts - 1, 30))


def tell_nobody() -> None:
    """For a read that nobody counts."""


async def whole_or_again(
    read: Callable[[], Awaitable[T]],
    max_attempts: int,
    draw: Callable[[], float] = random.random,
    *,
    retrying: Callable[[], object] = tell_nobody,
) -> T:
    """What `read` returns, called again while the body breaks; `retrying` is told each time before that.

    The attempts that botocore needed for the headers of an answer count as well: a body that breaks after
    `max_attempts` requests in all is final. Raises what `read` raises.
    """
    attempts = 0
    while True:
        try:
            return await read()
        except BodyBroken as broken:
            attempts += broken.attempts
            if attempts >= max_attempts:
                raise
        await asyncio.sleep(wait_s(attempts, draw()))
        retrying()
