"""The moves of a channel as the history of its source."""

import time
from collections.abc import Callable, Sequence

from cachetools import LRUCache, TTLCache

from gateway.errors import ReleaseError
from gateway.memory.flights import Flights
from gateway.releases.changes import changes_between
from gateway.releases.documents import Index, Move
from gateway.releases.repository import Repository
from gateway.skill.model import Digest
from gateway.web.view import Step, StepChanges

_KEPT_CHANGES = 256
_FRESH_S = 5.0

_Pair = tuple[Digest | None, Digest]
"""The indexes of a release before, None for nothing at all, and of the one after."""


class ChannelHistory:
    """Reads what a channel remembers; what two releases differ in never changes, and is read once."""

    def __init__(
        self,
        repository: Repository,
        channel: str,
        mount: Sequence[str] = (),
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`now` is a clock that only goes forward, in s."""
        self._repository, self._channel, self._mount = repository, channel, tuple(mount)
        self._moves = TTLCache[str, tuple[Move, ...]](1, _FRESH_S, now)
        self._changes: LRUCache[_Pair, StepChanges] = LRUCache(_KEPT_CHANGES)
        self._flights: Flights[_Pair, StepChanges] = Flights(now)

    async def steps(self) -> Sequence[Step]:
        moves = await self._read()
        return [
            Step(number, move.release, move.at, move.action, move.message, move.labels)
            for number, move in enumerate(moves)
        ]

    async def changes(self, number: int) -> StepChanges | None:
        moves = await self._read()
        if not 0 <= number < len(moves):
            return None
        before = moves[number + 1] if number + 1 < len(moves) else None
        pair = (before.index if before else None, moves[number].index)
        if pair in self._changes:
            return self._changes[pair]
        try:
            return await self._flights.join(pair, lambda: self._compare(pair, before, moves[number]))
        except ReleaseError:
            return None

    async def _read(self) -> tuple[Move, ...]:
        if self._channel not in self._moves:
            held = await self._repository.pointer(self._channel)
            self._moves[self._channel] = held.pointer.moves if held is not None else ()
            return held.pointer.moves if held is not None else ()
        return self._moves[self._channel]

    async def _compare(self, pair: _Pair, before: Move | None, after: Move) -> StepChanges:
        old = None if before is None else await self._index(before)
        found = await changes_between(self._repository, old, await self._index(after))
        made = StepChanges(*(tuple(map(self._mounted, paths)) for paths in (found.added, found.removed, found.changed)))
        self._changes[pair] = made
        return made

    async def _index(self, move: Move) -> Index:
        return await self._repository.index(move.release, move.index)

    def _mounted(self, path: str) -> str:
        return "/".join((*self._mount, path))
