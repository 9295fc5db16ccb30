"""Where a listing of a release goes on: what a provider's position says between two pages. Pure.

A place names its release, so that a client half-way stays on it whatever the channel does meanwhile.
"""

import json
from dataclasses import dataclass

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
