"""Answers that may be given again: fresh ones for a while, old ones while the store fails.

`freshness_s` is how long an answer stands without asking; past it one question is asked for everybody
who wants to know. When the store fails or is too slow, an answer no older than `freshness_s` and
`stale_if_error_s` together is given instead. An answer that was forgotten, because something in it is known to
have changed, never comes back: not from memory, and not from a question that was under way already.
"""

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import LRUCache

from gateway.errors import StoreUnavailable
from gateway.memory.flights import Flights, Question
from gateway.memory.shelves import Aged, Dated, Shelf
from gateway.tree.options import TreeOptions
from gateway.tree.outage import Outage

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_FORGOTTEN = 4096
"""So many keys are known to be forgotten; a question is long over before that many more are."""


class Answers(Generic[K, V]):
    """Answers of one kind by what was asked."""

    def __init__(self, shelf: Shelf[K, V], options: TreeOptions, outage: Outage, now: Callable[[], float]) -> None:
        self._shelf, self._options, self._outage, self._now = shelf, options, outage, now
        self._flights: Flights[K, Dated[V] | None] = Flights(now)
        self._forgotten: LRUCache[K, float] = LRUCache(_FORGOTTEN)
        self._all_forgotten_at = float("-inf")

    def fresh(self, key: K) -> V | None:
        """What is remembered and stands; whoever finds nothing asks, which counts the miss."""
        known = self._known(key)
        if known is None or not self._is_within(known, 0.0):
            return None
        self._shelf.lookups.hits += 1
        return known.value

    def last(self, key: K) -> V | None:
        """What is remembered, however old."""
        known = self._known(key)
        return None if known is None else known.value

    async def ask(self, key: K, question: Question[Dated[V] | None]) -> Dated[V] | None:
        """The answer that stands; else the store's; else, when the store fails, the old one.

        Raises what the question raises when there is no old answer. None answers are not remembered.
        """
        old = self._known(key)
        if old is not None and self._is_within(old, 0.0):
            self._shelf.lookups.hits += 1
            return old
        self._shelf.lookups.misses += 1
        if old is None or not self._is_within(old, self._options.stale_if_error_s):
            return await self._fly(key, question)
        if self._outage.is_paused:
            return self._old(old)
        try:
            async with asyncio.timeout(self._options.patience_s):
                return await self._fly(key, question)
        except (StoreUnavailable, TimeoutError) as error:
            self._outage.begin(error)
            # It may have been forgotten while the store did not answer.
            return self._old(old) if self._known(key) is not None else await self._fly(key, question)

    async def ask_fresh(self, key: K, question: Question[Dated[V] | None]) -> Dated[V] | None:
        """The answer that stands; else the store's. Raises what the question raises."""
        known = self._known(key)
        if known is not None and self._is_within(known, 0.0):
            self._shelf.lookups.hits += 1
            return known
        self._shelf.lookups.misses += 1
        return await self._fly(key, question)

    def learn(self, key: K, value: V, asked_at: float) -> None:
        """Remember an answer asked for at `asked_at`, unless something later is known."""
        known = self._shelf.get(key)
        if asked_at > self._forgotten_at(key) and (known is None or known.asked_at <= asked_at):
            self._shelf.put(key, value, asked_at)

    def forget(self, key: K) -> None:
        """Something in the answer is known to have changed by now."""
        self._forgotten[key] = self._now()
        self._shelf.pop(key)

    def forget_all(self) -> None:
        self._all_forgotten_at = self._now()

    async def _fly(self, key: K, question: Question[Dated[V] | None]) -> Dated[V] | None:
        async def ask() -> Dated[V] | None:
            answer = await question()
            self._outage.end()
            if answer is not None:
                self.learn(key, answer.value, answer.asked_at)
            return answer

        return await self._flights.join(key, ask, begun_after=self._forgotten_at(key))

    def _known(self, key: K) -> Aged[V] | None:
        known = self._shelf.get(key)
        return known if known is not None and known.asked_at > self._all_forgotten_at else None

    def _is_within(self, known: Aged[V], extra_s: float) -> bool:
        return self._now() - known.asked_at < self._options.freshness_s + extra_s

    def _forgotten_at(self, key: K) -> float:
        return max(self._forgotten.get(key, self._all_forgotten_at), self._all_forgotten_at)

    def _old(self, known: Aged[V]) -> Aged[V]:
        self._outage.stale_answers += 1
        return known
