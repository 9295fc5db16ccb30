"""A sight: what the rules of one caller show of one variant. Pure.

The outermost skill is the owner of everything below it (SEP-2640, Nested Skills), and so it is its path
that decides, also for the skills nested in it. Which directory on the way to a path is a skill is not
known here, so that a sight gives a ruling: the answer, or whom to ask first.
"""

from collections.abc import Iterable
from functools import lru_cache, partial
from re import Pattern
from typing import NamedTuple

from gateway.policy.globs import EVERYTHING, path_pattern
from gateway.policy.roots import roots_of
from gateway.skill.frontmatter_rules import is_skill_name
from gateway.skill.model import SkillPath

_RULINGS = 1024
"""Rulings that one sight remembers."""


class Ruling(NamedTuple):  # one is hashed for each entry of a page
    """Whether the skill at a path is seen.

    `asks` are the paths above it, outermost first, where a skill would make it otherwise: the first of them
    that is one says whether it is seen. When none is, or there is none to ask, it is `otherwise`.
    """

    asks: tuple[tuple[SkillPath, bool], ...]
    otherwise: bool


class Sight:
    """The skills that one of some globs names."""

    def __init__(self, globs: Iterable[str]) -> None:
        """Good globs of `gateway.policy.globs`."""
        globs = tuple(dict.fromkeys(globs))
        self.sees_nothing, self.sees_everything = not globs, EVERYTHING in globs
        self.roots = roots_of(globs)
        """What is seen lies at or below one of these paths; none when it may lie anywhere."""
        self._pattern = path_pattern(globs)
        self._rulings = lru_cache(_RULINGS)(partial(_ruling, self._pattern))

    def allows(self, path: str) -> bool:
        """Whether a glob names this very path."""
        return _names(self._pattern, path)

    def ruling(self, path: SkillPath) -> Ruling:
        """Whether the skill at `path` is seen, or who above it decides."""
        return self._rulings(path)


def _ruling(pattern: Pattern[str], path: SkillPath) -> Ruling:
    segments = path.split("/")
    above = [
        SkillPath("/".join(segments[:depth])) for depth in range(1, len(segments)) if is_skill_name(segments[depth - 1])
    ]
    otherwise = _names(pattern, path)
    asks = [(place, _names(pattern, place)) for place in above]
    while asks and asks[-1][1] == otherwise:
        asks.pop()
    return Ruling(tuple(asks), otherwise)


def _names(pattern: Pattern[str], path: str) -> bool:
    return pattern.fullmatch(path + "/") is not None
