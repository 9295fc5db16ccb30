"""Heads of skills: the frontmatter of a `SKILL.md` from one ranged GET of its first bytes.

A `SKILL.md` that ends within that range is known as a whole by it: its digest, whether it is text, and its
content for the first read. Source: RFC 9110 section 14.
"""

import asyncio
from dataclasses import dataclass, replace

from gateway.memory.flights import Flights
from gateway.memory.shelves import Memory, Shelf, weight_of_json
from gateway.objects import ByteRange, ListedObject
from gateway.skill.assembly import FileFacts, HeadRefused, head_of
from gateway.skill.frontmatter import MAX_HEAD_BYTES
from gateway.skill.media import looks_like_utf8
from gateway.skill.model import SKILL_MD, Frontmatter
from gateway.tree.probe import FACTS_BYTES, Prober, check_unchanged
from gateway.tree.reading import CacheKey, cache_key
from gateway.tree.source import Source

_LONG_BYTES = 4096
"""Frontmatter that is longer is rare, and may be made to take most of a second."""


@dataclass(frozen=True, slots=True)
class SkillHead:
    """The head of a `SKILL.md`: its frontmatter, and the file itself."""

    frontmatter: Frontmatter
    facts: FileFacts


class SkillHeads:
    """Reads the heads of one tree."""

    def __init__(self, source: Source, prober: Prober, memory: Memory) -> None:
        self._store, self._options, self._prober = source.store, source.options, prober
        self._kept: Shelf[CacheKey, SkillHead | HeadRefused] = Shelf(memory, "head", _weight)
        self._flights: Flights[CacheKey, SkillHead | HeadRefused] = Flights(source.now)

    async def read(self, listed: ListedObject) -> SkillHead | HeadRefused:
        """Frontmatter and facts of a `SKILL.md`.

        Raises ObjectChanged and ObjectMissing when the object is no longer the one that was listed.
        """
        key = cache_key(listed)
        if not listed.etag:
            return await self._look(listed)
        if (known := self._kept.find(key)) is not None:
            return known.value
        head = await self._flights.join(key, lambda: self._look(listed))
        self._kept.put(key, head)
        return head

    async def _look(self, listed: ListedObject) -> SkillHead | HeadRefused:
        data, frontmatter = await self._head(listed)
        if isinstance(frontmatter, HeadRefused):
            return frontmatter
        if len(data) == listed.size:
            return SkillHead(frontmatter, self._prober.facts_of(listed, SKILL_MD, None, data))
        facts = await self._prober.file(listed, SKILL_MD)
        is_text = looks_like_utf8(data, b"")  # the rest was judged with the facts
        return SkillHead(frontmatter, replace(facts, is_binary=facts.is_binary or not is_text))

    async def _head(self, listed: ListedObject) -> tuple[bytes, Frontmatter | HeadRefused]:
        for head_bytes in (self._options.head_bytes, MAX_HEAD_BYTES):
            data = await self._read_head(listed, head_bytes)
            head = await _head_beside(data, is_whole=len(data) == listed.size)
            if head is not None:
                return data, head
        raise AssertionError("so long a head is either frontmatter or refused")

    async def _read_head(self, listed: ListedObject, head_bytes: int) -> bytes:
        if not listed.size:
            return b""
        span = ByteRange(0, min(listed.size, head_bytes))
        part = await self._store.get_range(listed.key, span, if_match=listed.etag)
        check_unchanged(listed, part.head)
        return part.data


async def _head_beside(data: bytes, *, is_whole: bool) -> Frontmatter | HeadRefused | None:
    """As `head_of`; a long one in a thread, which lets the loop have its turn."""
    if len(data) <= _LONG_BYTES or data.find(b"\n---", 0, _LONG_BYTES) >= 0:
        return head_of(data, is_whole=is_whole)
    return await asyncio.to_thread(head_of, data, is_whole=is_whole)


def _weight(head: SkillHead | HeadRefused) -> int:
    return FACTS_BYTES + (weight_of_json(dict(head.frontmatter)) if isinstance(head, SkillHead) else len(head.detail))
