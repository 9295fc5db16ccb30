"""What each operation asks of the object store: calls and bytes, counted at the port.

The whole app with default settings over a store in memory that keeps checksums, as AWS does. No
network, no clock but the freshness window, which is short here so that nobody waits for its end.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from benchmarks.corpus import GUIDE, name_of, skill_files
from benchmarks.talk import say
from benchmarks.wire import Operation
from gateway.asgi import app_over
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectStore
from gateway.settings import Settings
from tests.protocol.host import serving
from tests.tree.odd_stores import CountingStore

_FRESHNESS_S = 1.0
_KEY = SecretStr("a key of this benchmark and of nothing else")


@dataclass(frozen=True, slots=True)
class Count:
    """`gets` are whole reads, ranges and streams; `sent_bytes` what they sent; `listed` the keys in listings."""

    lists: int
    heads: int
    gets: int
    sent_bytes: int
    listed: int

    @classmethod
    def of(cls, store: CountingStore) -> "Count":
        lists, heads = store.calls["list_page"], store.calls["head"]
        gets = store.calls.total() - lists - heads
        return cls(lists, heads, gets, store.sent_bytes.total(), store.keys_listed)

    @property
    def calls(self) -> int:
        return self.lists + self.heads + self.gets


@dataclass(frozen=True, slots=True)
class Calls:
    """One operation, at one moment."""

    operation: Operation
    moment: str
    count: Count


def measure_calls(skills: int) -> list[Calls]:
    """Each operation cold, within and after the freshness window, over a catalogue of `skills` with two files each."""
    say(f"calls of the store, {skills:,} skills in memory")
    objects = {
        f"{name_of(number)}/{path}": data for number in range(skills) for path, data in skill_files(number, 2).items()
    }
    return asyncio.run(_measure(MemoryStore(objects), f"skill://{name_of(skills // 2)}"))


async def _measure(store: ObjectStore, skill: str) -> list[Calls]:
    guide = {"uri": f"{skill}/{GUIDE}"}
    found = await _series(store, "skills/list", {})
    async with _app(store) as asked:
        _, first = await asked("skills/list", {})
        count, _ = await asked("skills/list", {"cursor": first["nextCursor"]})
        found.append(Calls("skills/list", "cold, the page after the first", count))
    found += await _series(store, "skills/get", {"uri": f"{skill}/SKILL.md"})
    found += await _series(store, "resources/read", guide)
    async with _app(store) as asked:
        await asked("skills/get", {"uri": f"{skill}/SKILL.md"})
        count, _ = await asked("resources/read", guide)
        found.append(Calls("resources/read", "cold file of a known skill", count))
    return found


async def _series(store: ObjectStore, operation: Operation, params: Mapping[str, str]) -> list[Calls]:
    async with _app(store) as asked:
        cold, _ = await asked(operation, params)
        within, _ = await asked(operation, params)
        await asyncio.sleep(_FRESHNESS_S * 1.1)
        after, _ = await asked(operation, params)
    counts = {"cold": cold, "warm, within the freshness window": within, "warm, after it": after}
    return [Calls(operation, moment, count) for moment, count in counts.items()]


@asynccontextmanager
async def _app(store: ObjectStore) -> AsyncGenerator[Any]:
    """An app with empty caches, started; what is yielded asks it one request: what that took, and its result."""
    counting = CountingStore(store)

    @asynccontextmanager
    async def opened() -> AsyncGenerator[ObjectStore]:
        yield counting

    settings = Settings(bucket="benchmarks", freshness_s=_FRESHNESS_S, cursor_keys=(_KEY,))
    app = app_over(opened, settings)
    async with serving(app) as host:

        async def asked(operation: Operation, params: Mapping[str, str]) -> tuple[Count, dict[str, Any]]:
            counting.reset()
            reply = await host.call("modern", operation, params)
            return Count.of(counting), reply.result

        yield asked
