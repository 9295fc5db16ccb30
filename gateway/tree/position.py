"""Where a walk stands: what a provider's position says between two pages. Pure.

A place is a page of the store's own listing (its continuation token) plus what was already served
from that page, so that the next request asks for that very page again and skips past it. No store
is asked to start after a key: StartAfter loses or repeats keys on half of them.
"""

import json
from dataclasses import dataclass

from gateway.errors import ProviderFault


@dataclass(frozen=True, slots=True)
class Place:
    """`token` is None for the first listing page.

    `passed` is the path of the last group or child before, empty when there is none: what lies there of it
    is over, also when it was put since. `inside` is the last skill served of the group that comes next,
    empty when none was. `root` is the directory below which it was listed, empty for the whole tree.
    """

    token: str | None = None
    passed: str = ""
    inside: str = ""
    root: str = ""

    @property
    def passed_root(self) -> tuple[str, ...]:
        return tuple(self.passed.split("/")) if self.passed else ()

    @property
    def root_segments(self) -> tuple[str, ...]:
        return tuple(self.root.split("/")) if self.root else ()

    def dump(self) -> str:
        fields = [self.token, self.passed, self.inside, *([self.root] if self.root else [])]
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


START = Place()


def load_place(position: str | None) -> Place:
    """The place a position names; the start for None. ProviderFault for what was never ours (it was sealed)."""
    if position is None:
        return START
    try:
        token, passed, inside, *root = json.loads(position)
        return Place(token, passed, inside, *root)
    except (TypeError, ValueError) as error:
        raise ProviderFault(f"not a position of a tree listing: {error}") from None
