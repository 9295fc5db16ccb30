"""Which directories are skills: one HEAD of `SKILL.md` each, remembered for a while.

A skill is owned by the outermost skill directory on the way to it, so every directory above it must be
known to be none. Those above a skill that is served seldom become skills themselves, and a listing
that shows it tells at once: for them a "no" stands longer than other answers do.
"""

from dataclasses import dataclass

from gateway.errors import AccessDenied, ObjectMissing
from gateway.memory.flights import Flights
from gateway.memory.shelves import Shelf, new_memory
from gateway.objects import ObjectKey
from gateway.skill.model import SKILL_MD
from gateway.tree.group import ancestors
from gateway.tree.keys import Segments, is_hidden
from gateway.tree.source import Source
from gateway.tree.together import together

_LEADING_LASTS = 12
"""How many times longer a "no" stands of a directory that leads to a skill."""
_SHARE = 16
"""What part of the memory for entries these answers may take; anybody may ask for any path."""


@dataclass(frozen=True, slots=True)
class _Said:
    is_skill: bool
    leads: bool


class SkillDirectories:
    """Answers about the directories of one tree."""

    def __init__(self, source: Source) -> None:
        self._store, self._keys, self._now = source.store, source.keys, source.now
        self._freshness_s = source.options.freshness_s
        self.memory = new_memory(source.options.entry_cache_bytes // _SHARE)
        self._said: Shelf[Segments, _Said] = Shelf(self.memory, "directory", lambda _: 0)
        self._flights: Flights[Segments, bool] = Flights(source.now)

    async def is_skill(self, directory: Segments) -> bool:
        """Whether a directory that leads to listed keys is a skill."""
        return await self._ask(directory, leads=True)

    async def owner(self, segments: Segments) -> Segments | None:
        """The outermost skill directory on the way to a directory below the prefix, itself included."""
        if not segments or is_hidden(segments):
            return None
        asked: list[Segments] = []
        for directory in (*ancestors(segments), segments):
            asked.append(directory)
            if self._known(directory):
                break
        answers = await together(self._ask(directory) for directory in asked)
        return next((directory for directory, found in zip(asked, answers, strict=True) if found), None)

    def learn(self, root: Segments, is_skill: bool, asked_at: float) -> None:
        """What a listing asked for at `asked_at` shows of an outermost directory: nothing above it is a skill."""
        self._put(root, _Said(is_skill, leads=False), asked_at)
        for directory in ancestors(root):
            self._put(directory, _Said(is_skill=False, leads=True), asked_at)

    def forget(self, directory: Segments) -> None:
        self._said.pop(directory)

    async def _ask(self, directory: Segments, *, leads: bool = False) -> bool:
        if (known := self._known(directory, leads=leads)) is not None:
            self._said.lookups.hits += 1
            return known
        self._said.lookups.misses += 1

        async def question() -> bool:
            asked_at = self._now()
            found = await self._has_skill_md(directory)
            self._put(directory, _Said(found, leads), asked_at)
            return found

        return await self._flights.join(directory, question)

    async def _has_skill_md(self, directory: Segments) -> bool:
        key = self._keys.key_of((*directory, SKILL_MD))
        try:
            await self._store.head(key)
        except ObjectMissing:
            return False
        except AccessDenied:
            return await self._is_listed(key)
        return True

    async def _is_listed(self, key: ObjectKey) -> bool:
        """S3 denies access to a missing key too, when one may list no more than some prefixes. Listing tells."""
        page = await self._store.list_page(key, max_keys=2)
        return any(listed.key == key for listed in page.objects)

    def _known(self, directory: Segments, *, leads: bool = False) -> bool | None:
        aged = self._said.get(directory)
        if aged is None:
            return None
        said = aged.value
        lasts = _LEADING_LASTS if (leads or said.leads) and not said.is_skill else 1
        return said.is_skill if self._now() - aged.asked_at < self._freshness_s * lasts else None

    def _put(self, directory: Segments, said: _Said, asked_at: float) -> None:
        known = self._said.get(directory)
        if known is None:
            self._said.put(directory, said, asked_at)
        elif known.asked_at <= asked_at:
            self._said.put(directory, _Said(said.is_skill, said.leads or known.value.leads), asked_at)
