"""Keys to groups: cutting a flat listing into outermost skills, one page at a time. Pure.

A group is everything under an outermost directory that holds `SKILL.md`; skills nested in it belong
to it. Nothing relies on the order of keys, only on the keys of one directory coming together, which
every store tried does. A directory whose keys lie wholly within the page is a skill when its
`SKILL.md` is among them. Only a directory that reaches over an edge of the page can be in doubt, and
those lead to the page's first or last key: `doubtful` names them, so that the caller can ask.

Source: S3 ListObjectsV2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from gateway.skill.model import MAX_SKILL_SEGMENTS, Problem
from gateway.skill.uri import segment_fault
from gateway.tree.group import Group, ancestors, is_skill_md
from gateway.tree.keys import Located, Segments
from gateway.tree.position import Place

Placed = tuple[Segments, Located | Problem | None]
"""Raw segments of a listed key and what became of it; None for one to pass over, which counts all the same."""


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One page of the flat listing, located.

    `edges` are the segments of its first and last key, cut after the first one that cannot be served;
    empty when the page is. `asked_at` is when it was asked for. `is_resumed` when the walk began with this
    page and not at the start.
    """

    token: str | None
    asked_at: float
    is_last: bool
    is_resumed: bool
    places: tuple[Placed, ...]
    edges: tuple[Segments, ...]

    def skill_directories(self) -> set[Segments]:
        return {place.segments[:-1] for _, place in self.places if isinstance(place, Located) and is_skill_md(place)}


def doubtful(page: ListedPage, known: Mapping[Segments, bool]) -> list[Segments]:
    """Directories over the page's edges of which neither the page nor `known` says whether they are skills.

    Outermost first. Nothing stands before the first page or after the last, so those edges are sure; and
    nothing is a skill that lies deeper than one can be asked for.
    """
    here = page.skill_directories()
    open_edges = page.edges[0 if page.token is not None else 1 : 1 if page.is_last else 2]
    doubts: dict[Segments, None] = {}
    for edge in open_edges:
        for directory in islice(ancestors(edge), MAX_SKILL_SEGMENTS):
            if directory in here or known.get(directory):
                break
            if directory not in known:
                doubts[directory] = None
    return list(doubts)


def cut_unservable(segments: Segments) -> Segments:
    """Segments up to and with the first that cannot be served: no directory below it matters."""
    for index, segment in enumerate(segments):
        if segment.startswith(".") or segment_fault(segment):
            return segments[: index + 1]
    return segments


class Grouper:
    """Feeds on located pages, gives out groups as they close; holds one open group and nothing more."""

    def __init__(self, max_keys: int, start: Place) -> None:
        """What is still to come of the group that `start` has passed is dropped."""
        self._max_keys = max_keys
        self._seen: set[Segments] = {start.passed_root} if start.passed else set()
        self._passed, self._start_root = start.passed, start.root
        self._key_root: Segments | None = start.passed_root or None
        self.open: Group | None = None

    @property
    def tail(self) -> Segments:
        """Root of a closed group to which the last key fed belongs, so that more of it may follow; or ()."""
        return self._key_root if self._key_root and self._key_root in self._seen else ()

    def feed(self, page: ListedPage, known: Mapping[Segments, bool]) -> list[Group | Problem]:
        """Groups that closed, and keys outside any skill that cannot be served."""
        here = page.skill_directories()
        out: list[Group | Problem] = []
        for segments, place in page.places:
            root = _outermost(segments, here, known)
            if self.open is not None and root != self.open.root:
                out.extend(self._leave(root))
            if root is not None and root not in self._seen:
                self._begin(root, page, known).add(place, self._max_keys)
            elif root is None and isinstance(place, Problem):
                out.append(place)
            self._key_root = root
            if root is not None:
                self._passed = "/".join(root)
        if page.is_last and self.open is not None:
            out.append(self.close())
        return out

    def close(self) -> Group:
        """The open group, closed. There must be one."""
        assert self.open is not None
        group, self.open = self.open, None
        self._seen.add(group.root)
        return group

    def _leave(self, root: Segments | None) -> list[Group]:
        """The open group, closed; or nothing when `root`, now a skill, encloses it and is listed again."""
        if self.open is not None and root is not None and self.open.root[: len(root)] == root:
            self.open = None
            return []
        return [self.close()]

    def _begin(self, root: Segments, page: ListedPage, known: Mapping[Segments, bool]) -> Group:
        """The group a key goes to: the open one, or a new one."""
        if self.open is not None:
            return self.open
        # A directory that was no skill a page ago has become one: its first keys went by unseen.
        is_partial = known.get(root) is False or (page.is_resumed and page.edges[0][: len(root)] == root)
        self.open = Group(
            root, Place(page.token, self._passed, root=self._start_root), page.asked_at, is_partial=is_partial
        )
        return self.open


def _outermost(segments: Segments, here: set[Segments], known: Mapping[Segments, bool]) -> Segments | None:
    for directory in ancestors(segments):
        if directory in here or known.get(directory):
            return directory
    return None
