"""Where a listing of a release goes on: what a provider's position says between two pages. Pure.

A place names its release, so that a client half-way stays on it whatever the channel does meanwhile.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gateway.provider import lies_within
from gateway.skill.model import Digest
from gateway.skill.rules import is_digest


@dataclass(frozen=True, slots=True)
class Place:
    """Digest of the release's index, and the path of the next skill, as the release has it."""

    index: Digest
    path: str

    def dump(self) -> str:
        return json.dumps([self.index, self.path], ensure_ascii=False, separators=(",", ":"))


def load_place(position: str) -> Place | None:
    """The place a position names; None for one of another kind of source, which was served here before."""
    try:
        index, path = json.loads(position)
    except (TypeError, ValueError):
        return None
    return Place(Digest(index), path) if is_digest(index) and isinstance(path, str) else None


def first_within(path: str, roots: Iterable[str]) -> str | None:
    """Where skills at or below some roots may first come, from a path on in the order of texts; None for nowhere."""
    return min((first for root in roots if (first := _first_below(path, root)) is not None), default=None)


def _first_below(path: str, root: str) -> str | None:
    """Between a root and what lies below it others may come: `a`, `a-b`, `a/b`."""
    if path <= root or lies_within(path, root):
        return max(path, root)
    return f"{root}/" if path < f"{root}/" else None
