"""Many questions at once, a bounded number at a time, and none left running after a failure."""

import asyncio
from collections.abc import Coroutine, Iterable
from itertools import islice
from typing import Any, TypeVar

from gateway.errors import AccessDenied

ResultT = TypeVar("ResultT")

_AT_ONCE = 64
"""A skill may have ten thousand files, and a store answers some dozens of calls at a time."""


async def together(questions: Iterable[Coroutine[Any, Any, ResultT]]) -> list[ResultT]:
    """Answers in the order of the questions. The first error ends the others and is raised.

    Of objects that are denied the first in order is named, so that it is the same one each time.
    Pass a generator: a question that is not asked is then never made.
    """
    waiting = iter(questions)
    answers: list[ResultT] = []
    while tasks := [asyncio.ensure_future(question) for question in islice(waiting, _AT_ONCE)]:
        try:
            answers += await asyncio.gather(*tasks)
        except AccessDenied:
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            raise next(error for error in ended if isinstance(error, AccessDenied)) from None
        finally:
            for task in tasks:
                task.cancel()
    return answers
