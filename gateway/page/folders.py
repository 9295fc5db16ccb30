"""The folders that skills lie in, as a tree for people. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from gateway.skill.model import SkillEntry


@dataclass(frozen=True, slots=True)
class Folder:
    """`skills` lie in it or below it; `depth` is 0 at the top."""

    path: str
    name: str
    depth: int
    skills: int


@dataclass(frozen=True, slots=True)
class Group:
    """Skills that lie side by side in a folder, empty for the top."""

    folder: str
    entries: tuple[SkillEntry, ...]


def folders_of(entries: Iterable[SkillEntry]) -> tuple[Folder, ...]:
    """Every folder above a skill, each before what is in it."""
    counts = Counter[tuple[str, ...]]()
    for entry in entries:
        segments = entry.path.split("/")
        counts.update(tuple(segments[:depth]) for depth in range(1, len(segments)))
    return tuple(Folder("/".join(path), path[-1], len(path) - 1, counts[path]) for path in sorted(counts))


def groups_of(entries: Sequence[SkillEntry]) -> tuple[Group, ...]:
    """All entries, by the folder they lie in."""
    ordered = sorted(entries, key=lambda entry: (_folder(entry), entry.path))
    return tuple(Group(folder, tuple(group)) for folder, group in groupby(ordered, _folder))


def _folder(entry: SkillEntry) -> str:
    return entry.path.rpartition("/")[0]
