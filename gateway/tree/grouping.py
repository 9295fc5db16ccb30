"""Keys to groups: cutting a flat listing into outermost skills, one page at a time. Pure.

A group is everything under an outermost directory that holds `SKILL.md`; skills nested in it belong
to it. Nothing relies on the order of keys, only on the keys of one directory coming together, which
every store tried does. A directory whose keys lie wholly within the page is a skill when its
`SKILL.md` is among them. Only a directory that reaches over an edge of the page can be in doubt, and
those lead to the page's first or last key: `doubtful` names them, so that the caller can ask.

Source: S3 ListObjectsV2; DESIGN section 6.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gateway.skill.model import SKILL_MD, Problem
from gateway.skill.uri import segment_fault
from gateway.tree.keys import Located, Segments
from gateway.tree.position import Place

Placed = tuple[Segments, Located | Problem]
"""Raw segments of a listed key and what became of it."""


@dataclass(slots=True)
class Group:
    """All keys under one outermost skill directory.

    `begin` is the place from which a walk meets this group first. `is_too_large` when keys were left
    out because there were more than the bound; `is_partial` when keys before the first one may have
    been missed, so that the group must be listed again by its prefix.
    """

    root: Segments
    begin: Place
    keys: list[Located] = field(default_factory=list[Located])
    problems: list[Problem] = field(default_factory=list[Problem])
    is_too_large: bool = False
    is_partial: bool = False

    @property
    def skill_directories(self) -> list[Segments]:
        """Directories with a `SKILL.md`, outermost first."""
        return sorted(key.segments[:-1] for key in self.keys if _is_skill_md(key))


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One page of the flat listing, located.

    `edges` are the segments of its first and last key, cut after the first one that cannot be served;
    empty when the page is. `is_resumed` when the walk began with this page and not at the start.
    """

    token: str | None
    is_last: bool
    is_resumed: bool
    places: tuple[Placed, ...]
    edges: tuple[Segments, ...]

    def skill_directories(self) -> set[Segments]:
        return {place.segments[:-1] for _, place in self.places if isinstance(place, Located) and _is_skill_md(place)}


def doubtful(page: ListedPage, known: Mapping[Segments, bool]) -> list[Segments]:
    """Directories over the page's edges of which neither the page nor `known` says whether they are skills.

    Outermost first. Nothing stands before the first page or after the last, so those edges are sure.
    """
    here = page.skill_directories()
    open_edges = page.edges[0 if page.token is not None else 1 : 1 if page.is_last else 2]
    doubts: dict[Segments, None] = {}
    for edge in open_edges:
        for directory in ancestors(edge):
            if directory in here or known.get(directory):
                break
            if directory not in known:
                doubts[directory] = None
    return list(doubts)


def ancestors(segments: Segments) -> Iterator[Segments]:
    """Directories that lead to a key, outermost first, without the root of the tree."""
    return (segments[:depth] for depth in range(1, len(segments)))


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
        self._before = (start.token, start.passed)
        self._key_root: Segments | None = None
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
                out.append(self.close())
            if root is not None and root not in self._seen:
                self._add(root, place, self._begin(root, segments, page, known))
            elif root is None and isinstance(place, Problem):
                out.append(place)
            self._key_root = root
            if root is not None:
                self._before = (page.token, "/".join(root))
        if page.is_last and self.open is not None:
            out.append(self.close())
        return out

    def close(self) -> Group:
        """The open group, closed. There must be one."""
        assert self.open is not None
        group, self.open = self.open, None
        self._seen.add(group.root)
        return group

    def _begin(self, root: Segments, segments: Segments, page: ListedPage, known: Mapping[Segments, bool]) -> Group:
        """The group a key goes to: the open one, or a new one."""
        if self.open is not None:
            return self.open
        token, passed = self._before
        # A directory that was no skill a page ago has become one: its first keys went by unseen.
        is_partial = known.get(root) is False or (page.is_resumed and segments == page.edges[0])
        self.open = Group(root, Place(page.token, passed if token == page.token else ""), is_partial=is_partial)
        return self.open

    def _add(self, root: Segments, place: Located | Problem, group: Group) -> None:
        if isinstance(place, Problem):
            group.problems.append(place)
        elif len(group.keys) < self._max_keys:
            group.keys.append(place)
        else:
            group.is_too_large = True


def skip_passed(places: Sequence[Placed], passed: Segments) -> Sequence[Placed]:
    """What follows the group `passed` in the page that it reaches into.

    When its keys went meanwhile, the page's own order tells what came before it: by bytes of the key,
    or by segment (SeaweedFS). A page that has neither is given whole, because a skill shown twice is
    better than a skill lost.
    """
    depth = len(passed)
    under = [index for index, (segments, _) in enumerate(places) if segments[:depth] == passed]
    if under:
        return places[under[-1] + 1 :]
    keys = [segments for segments, _ in places]
    for order in (_byte_order, _segment_order):
        if keys == sorted(keys, key=order):
            return [place for place in places if order(place[0]) > order((*passed, ""))]
    return places


def _is_skill_md(key: Located) -> bool:
    return not key.is_directory and len(key.segments) > 1 and key.segments[-1] == SKILL_MD


def _outermost(segments: Segments, here: set[Segments], known: Mapping[Segments, bool]) -> Segments | None:
    for directory in ancestors(segments):
        if directory in here or known.get(directory):
            return directory
    return None


def _byte_order(segments: Segments) -> bytes:
    return "/".join(segments).encode("utf-8", "surrogatepass")


def _segment_order(segments: Segments) -> bytes:
    return "\0".join(segments).encode("utf-8", "surrogatepass")
