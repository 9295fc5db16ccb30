"""One outermost skill directory and all that lies under it, as listed. Pure.

Every key under the root counts, served or not: a bound that hidden and unservable keys slip past is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from gateway.skill.model import SKILL_MD, Problem
from gateway.tree.keys import Located, Segments
from gateway.tree.position import Place


@dataclass(slots=True)
class Group:
    """All keys under one outermost skill directory, the first of which was listed at `asked_at`.

    `begin` is the place from which a walk meets this group first. `is_too_large` when keys were left
    out because there were more than the bound; `is_partial` when keys before the first one may have
    been missed, so that the group must be listed again by its prefix. `key_count` counts every key
    that was listed, hidden ones too.
    """

    root: Segments
    begin: Place
    asked_at: float
    keys: list[Located] = field(default_factory=list[Located])
    problems: list[Problem] = field(default_factory=list[Problem])
    key_count: int = 0
    is_too_large: bool = False
    is_partial: bool = False

    @property
    def skill_directories(self) -> list[Segments]:
        """Directories with a `SKILL.md`, outermost first."""
        return sorted(key.segments[:-1] for key in self.keys if is_skill_md(key))

    def add(self, place: Located | Problem | None, max_keys: int) -> None:
        """One more key under the root; what comes after `max_keys` of them is left out."""
        self.key_count += 1
        if self.key_count > max_keys:
            self.is_too_large = True
        elif isinstance(place, Problem):
            self.problems.append(place)
        elif place is not None:
            self.keys.append(place)


def ancestors(segments: Segments) -> Iterator[Segments]:
    """Directories that lead to a key, outermost first, without the root of the tree."""
    return (segments[:depth] for depth in range(1, len(segments)))


def is_skill_md(key: Located) -> bool:
    """Whether a key makes the directory it lies in a skill; the root of the tree is none."""
    return not key.is_directory and len(key.segments) > 1 and key.segments[-1] == SKILL_MD
