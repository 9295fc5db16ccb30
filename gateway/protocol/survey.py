"""A stretch of the catalogue: those skills that are looked for, until enough were found or seen, or time is up.

It says where to go on, so that nothing is left out. Source: provider contract of `gateway.provider`.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from gateway.cursor import CursorScope
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.checks import check_page
from gateway.provider import Caller, Page
from gateway.skill.model import MAX_SKILL_SEGMENTS, SkillEntry
from gateway.skill.uri import segment_fault

SEEN_AT_MOST = 5000
WITHIN_S = 2.5


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for: skills below `folder` in whose name, description or path each word is."""

    text: str = ""
    folder: str = ""

    @property
    def within(self) -> tuple[str, ...]:
        """As of `Page`; none for a folder that no skill can lie in."""
        segments = self.folder.split("/")
        is_fit = len(segments) < MAX_SKILL_SEGMENTS and not any(map(segment_fault, segments))
        return (self.folder,) if is_fit else ()

    def matches(self, entry: SkillEntry) -> bool:
        if self.folder and not entry.path.startswith(f"{self.folder}/"):
            return False
        words = self.text.casefold().split()
        said = f"{entry.path}\n{entry.description}".casefold() if words else ""
        return all(word in said for word in words)


@dataclass(frozen=True, slots=True)
class Survey:
    """The skills found, in the order of the catalogue; how many were looked at; where to go on, None at the end."""

    entries: tuple[SkillEntry, ...]
    seen: int
    cursor: str | None


async def survey(
    adapter: SkillsAdapter,
    caller: Caller,
    question: Question,
    cursor: str | None = None,
    *,
    enough: int,
    now: Callable[[], float] = time.monotonic,
) -> Survey:
    """Raises CursorRefused, ServerFault. `now` is a clock that only goes forward, in s.

    There may be as many more than `enough` as one answer of the provider has. A cursor is good for the same
    question of the same caller.
    """
    scope = CursorScope("survey", (("text", question.text), ("folder", question.folder)), caller.principal)
    page, ends_at = replace(adapter.pager.open(cursor, scope, caller), within=question.within), now() + WITHIN_S
    found: list[SkillEntry] = []
    begun, seen = page, 0
    while True:
        answer = await adapter.provider.list(page, caller)
        check_page(answer, page)
        seen += len(answer.entries)
        matching = tuple(filter(question.matches, answer.entries))
        adapter.check(matching)
        found += matching
        page = Page(page.limit, page.offset + len(answer.entries), answer.position, question.within)
        if answer.position is None or len(found) >= enough or seen >= SEEN_AT_MOST or now() >= ends_at:
            following = adapter.pager.seal(answer.position, begun, seen, scope, caller)
            return Survey(tuple(found), seen, following.get("nextCursor"))
        await asyncio.sleep(0)  # what is in memory comes without waiting, and others want their turn
