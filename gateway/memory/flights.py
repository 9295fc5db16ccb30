"""Single flight: identical questions asked at the same time are asked once.

A flight belongs to nobody: who stops waiting for it does not stop it, and it ends by the deadlines of
what it asks. Its answer, or its error, goes to everybody who waits.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Question = Callable[[], Awaitable[V]]


@dataclass(frozen=True, slots=True)
class _Flight(Generic[V]):
    task: asyncio.Task[V]
    begun_at: float


class Flights(Generic[K, V]):
    """Questions under way, by key."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._running: dict[K, _Flight[V]] = {}

    async def join(self, key: K, question: Question[V], *, begun_after: float = float("-inf")) -> V:
        """The answer of the flight for `key`; `question` is asked when there is none, or none late enough.

        One that began at or before `begun_after` may have seen what is known to be gone.
        """
        flight = self._running.get(key)
        if flight is None or flight.begun_at <= begun_after or _is_foreign(flight.task):
            flight = self._begin(key, question)
        return await asyncio.shield(flight.task)

    def _begin(self, key: K, question: Question[V]) -> _Flight[V]:
        async def fly() -> V:
            return await question()

        flight = _Flight(asyncio.create_task(fly()), self._now())
        self._running[key] = flight

        def land(task: asyncio.Task[V]) -> None:
            if self._running.get(key) is flight:
                del self._running[key]
            if not task.cancelled():
                task.exception()  # everybody may have left before it failed

        flight.task.add_done_callback(land)
        return flight


def _is_foreign(task: asyncio.Task[V]) -> bool:
    """Whether a task was left behind by a loop that ended."""
    return task.get_loop() is not asyncio.get_running_loop()
