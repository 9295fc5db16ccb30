"""What is remembered, bounded in bytes: the least recently used goes first.

One bound for all kinds of answers, so that whatever a bucket is made of finds the room it needs: a
shelf is one kind's typed view of it. Weights are estimates of CPython's memory, so that a bound in
bytes holds for the process and not only for the data. Each shelf counts who found what was looked for on it.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from gateway.skill.model import Json, SkillEntry

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SLOT_BYTES = 400
"""A key, its value's box and their places in the cache, about."""
FILE_BYTES = 420
"""A file of an entry: path, digest, size, and the object it lies in."""
_TEXT_BYTES = 56
_FIELD_BYTES = 100
_ENTRY_BYTES = 500


@dataclass(frozen=True, slots=True)
class Dated(Generic[V]):
    """A value, and when it was asked for: what it says may be no later than that."""

    value: V
    asked_at: float


@dataclass(frozen=True, slots=True)
class Aged(Dated[V]):
    """A value that is remembered, with what it weighs."""

    weight_bytes: int


@dataclass(slots=True)
class Lookups:
    """How often what is of one kind was looked for since the start: answered from memory, or not.

    Who waits for an answer that somebody else asked for is a miss, and so is what is remembered and too old.
    """

    kind: str
    hits: int = 0
    misses: int = 0


@dataclass(frozen=True, slots=True)
class Fill:
    """How full one memory is, and what was looked for in it, by kind."""

    name: str
    used_bytes: int
    limit_bytes: int
    lookups: tuple[Lookups, ...] = ()


class Memory(LRUCache[tuple[str, Hashable], Aged[Any]]):
    """What is remembered, and what was looked for in it, by kind."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(limit_bytes, getsizeof=_weight)
        self.lookups: list[Lookups] = []


def new_memory(limit_bytes: int) -> Memory:
    """An empty memory that holds at most `limit_bytes` of what is put on its shelves."""
    return Memory(limit_bytes)


def fill_of(name: str, memory: Memory) -> Fill:
    lookups = tuple(replace(one) for one in memory.lookups)
    return Fill(name, int(memory.currsize), int(memory.maxsize), lookups)


class Shelf(Generic[K, V]):
    """Values of one kind in a memory."""

    def __init__(self, memory: Memory, kind: str, weigh: Callable[[V], int]) -> None:
        """`weigh` gives the bytes of a value; a slot's own bytes are added here."""
        self._memory, self._kind, self._weigh = memory, kind, weigh
        self.lookups = Lookups(kind)
        """Whoever decides by `get` whether something is known counts it here."""
        memory.lookups.append(self.lookups)

    def find(self, key: K) -> Aged[V] | None:
        """What is remembered; whoever finds nothing asks for it."""
        found = self.get(key)
        if found is None:
            self.lookups.misses += 1
        else:
            self.lookups.hits += 1
        return found

    def find_warm(self, key: K) -> Aged[V] | None:
        """What is remembered; whoever finds nothing looks again with `find`, which counts it then."""
        found = self.get(key)
        if found is not None:
            self.lookups.hits += 1
        return found

    def get(self, key: K) -> Aged[V] | None:
        """What is remembered, which is not counted."""
        try:  # a `get` looks twice
            return self._memory[self._kind, key]
        except KeyError:
            return None

    def put(self, key: K, value: V, asked_at: float = 0.0) -> None:
        """Remember a value, unless it alone would push out half of everything else."""
        weight_bytes = SLOT_BYTES + self._weigh(value)
        if weight_bytes * 2 <= self._memory.maxsize:
            self._memory[self._kind, key] = Aged(value, asked_at, weight_bytes)
        else:
            self.pop(key)

    def pop(self, key: K) -> None:
        self._memory.pop((self._kind, key), None)


def weight_of_json(value: Json) -> int:
    """Bytes of a JSON value as Python keeps it, about."""
    if isinstance(value, str):
        return _TEXT_BYTES + len(value) * (1 if value.isascii() else 2)
    if isinstance(value, list):
        return _TEXT_BYTES + sum(map(weight_of_json, value))
    if isinstance(value, dict):
        return _FIELD_BYTES + sum(_FIELD_BYTES + weight_of_json(part) for part in value.values())
    return 32


def weight_of_entry(entry: SkillEntry) -> int:
    """Bytes of an entry, about."""
    return _ENTRY_BYTES + weight_of_json(dict(entry.frontmatter)) + FILE_BYTES * len(entry.files or ())


def _weight(aged: Aged[Any]) -> int:
    return aged.weight_bytes
