"""The problems of one source: each told once for as long as it stays the same, and kept while it lasts.

A problem ends when what it lies in was looked at again without it, or when nobody met it for an hour.
"""

import logging
from collections.abc import Callable, Collection

from cachetools import TTLCache

from gateway.skill.model import Problem

logger = logging.getLogger(__name__)

MOST = 10_000
KEPT_S = 3600.0

_Named = tuple[str, str]
"""Where a problem is, and its code."""


class Problems:
    """Takes what is refused; `on_problem` is told of each one once, as the log is."""

    def __init__(
        self,
        on_problem: Callable[[Problem], object] | None,
        now: Callable[[], float],
        *,
        unseen: Collection[str] = (),
        kept_s: float = KEPT_S,
    ) -> None:
        """`now` is a clock that only goes forward, in s; `unseen` are codes that not every look at a place finds."""
        self._on_problem, self._unseen = on_problem, frozenset(unseen)
        self._known = TTLCache[_Named, Problem](MOST, kept_s, now)

    def report(self, problem: Problem) -> None:
        named = (problem.where, problem.code)
        known = self._known.get(named)
        self._known[named] = problem  # it lasts: its hour begins anew
        if known == problem:
            return
        logger.warning("%s", problem)
        if self._on_problem is not None:
            self._on_problem(problem)

    def looked_at(self, place: str, found: Collection[Problem]) -> None:
        """A place and all below it were looked at: what was known there and is not among `found` has ended."""
        if len(self._known) == 0:
            return
        lasting = {(problem.where, problem.code) for problem in found}
        for where, code in list(self._known):
            if _lies_in(where, place) and (where, code) not in lasting and code not in self._unseen:
                del self._known[where, code]

    def forget(self) -> None:
        """What was looked at is no longer what is served."""
        self._known.clear()

    def all(self) -> tuple[Problem, ...]:
        """Those that are known now, by where they are."""
        return tuple(sorted(self._known.values(), key=lambda problem: (problem.where, problem.code)))


def _lies_in(where: str, place: str) -> bool:
    return where == place or where.startswith(f"{place}/")
