"""Pages of what is seen, made of pages of everything. Pure.

The position of such a page is the one behind the last page it was made of, so that nothing of what was
seen, or by whom, is in it: the next page is filtered by what its caller may see then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cachetools import LRUCache

from gateway.policy.policy import Grants
from gateway.policy.sight import Ruling, Sight
from gateway.provider import EntryPage, Page
from gateway.skill.model import SkillEntry, SkillPath

MAX_INNER_PAGES = 20
"""Pages that are asked for to make one of them. A host asks again after a short page, but gives up after 50 or so."""
_FULL = 0.75
"""Part of its limit from which on a page is worth sending."""
_REMEMBERED_ENTRIES = 8192
"""Entries in the pages that are remembered, and in those they were made of."""

NOTHING = EntryPage(())

Key = tuple[Grants, str, Page]
"""Grants, variant, and what was asked for."""


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page, what it was made of and asked for with, and the rulings that somebody had to settle."""

    page: EntryPage
    parts: tuple[tuple[Page, EntryPage], ...]
    settled: Mapping[Ruling, bool]


class Filling:
    """One page of a sight that is being filled."""

    def __init__(self, sight: Sight, page: Page) -> None:
        self._sight, self._page = sight, page
        self._seen: dict[SkillPath, SkillEntry] = {}
        self._parts: list[tuple[Page, EntryPage]] = []
        self._settled: dict[Ruling, bool] = {}

    def wanted(self) -> Page | None:
        """What to ask for next; None when the page is as full as it gets."""
        count, limit = len(self._seen), self._page.limit
        if not self._parts:
            return self._page
        _, last = self._parts[-1]
        # Who answers with nothing and a way on has met a bound of its own.
        is_over = last.position is None or not last.entries or len(self._parts) == MAX_INNER_PAGES
        return (
            None
            if is_over or count >= limit * _FULL
            else Page(limit - count, self._page.offset + count, last.position, self._page.within)
        )

    def take(self, asked: Page, answer: EntryPage, settled: Mapping[Ruling, bool]) -> None:
        """An answer, and whether the skills of each ruling about it are seen."""
        self._parts.append((asked, answer))
        self._settled.update((ruling, is_seen) for ruling, is_seen in settled.items() if ruling.asks)
        for entry in answer.entries:
            if settled[self._sight.ruling(entry.path)]:
                # What moves meanwhile may come on two pages; no page has anything twice.
                self._seen.setdefault(entry.path, entry)

    def made(self) -> MadePage:
        position = self._parts[-1][1].position
        return MadePage(EntryPage(tuple(self._seen.values()), position), tuple(self._parts), self._settled)


class MadePages:
    """Pages that were made: the same object for the same page, so that what was made of it can be kept by identity."""

    def __init__(self) -> None:
        self._known = LRUCache[Key, MadePage](_REMEMBERED_ENTRIES, getsizeof=_weight)

    def get(self, key: Key) -> MadePage | None:
        try:
            return self._known[key]
        except KeyError:
            return None

    def keep(self, key: Key, made: MadePage) -> EntryPage:
        """The page; the one that was made before, when this one has its very entries and its position."""
        known = self.get(key)
        if known is not None and _is_same(known.page, made.page):
            made = replace(made, page=known.page)
        if _weight(made) <= _REMEMBERED_ENTRIES:
            self._known[key] = made
        return made.page


def _weight(made: MadePage) -> int:
    return 1 + sum(1 + len(answer.entries) for _, answer in made.parts)


def _is_same(known: EntryPage, page: EntryPage) -> bool:
    return (
        known.position == page.position
        and len(known.entries) == len(page.entries)
        and all(one is other for one, other in zip(known.entries, page.entries, strict=True))
    )
