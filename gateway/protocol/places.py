"""Which skills a URI may belong to, and who owns it.

The outermost skill above a file owns it, and only a question for every path above tells which one
that is. The answer is remembered for as long as what a provider said is good, so that it is not asked
again for each file of a skill. Pure but for the clock, which comes in as an argument.

Source: SEP-2640, Nested Skills.
"""

from collections.abc import Callable, Sequence

from cachetools import LRUCache

from gateway.errors import InvalidUri
from gateway.provider import Caller
from gateway.skill.frontmatter_rules import is_skill_name
from gateway.skill.model import MAX_SKILL_SEGMENTS, SKILL_MD, SkillPath
from gateway.skill.uri import parse_uri

_PLACES_BYTES = 512 * 1024
_OWNERS = 1024

Place = tuple[SkillPath, str]
"""A path where a skill may be, and the path of the file inside it."""


class Namespaces:
    """The paths that a provider may serve, and the places that a URI names there."""

    def __init__(self, spaces: Sequence[str]) -> None:
        """`spaces`: as `SkillProvider.namespaces`."""
        self._spaces = frozenset(spaces)
        self._known = LRUCache[str, tuple[Place, ...]](_PLACES_BYTES, getsizeof=_size)

    def holds(self, path: str) -> bool:
        """Whether a path is one of the namespaces or lies below one."""
        if path in self._spaces or "" in self._spaces:
            return True
        end = path.find("/")
        while end >= 0:
            if path[:end] in self._spaces:
                return True
            end = path.find("/", end + 1)
        return False

    def skill_at(self, segments: Sequence[str]) -> SkillPath | None:
        """The path of segments where a skill of ours may be; None where none can."""
        if not segments or len(segments) > MAX_SKILL_SEGMENTS or not is_skill_name(segments[-1]):
            return None
        path = SkillPath("/".join(segments))
        return path if self.holds(path) else None

    def places(self, uri: str) -> tuple[Place, ...]:
        """Every place that a file's URI names, the outermost first; none for a URI that is no good."""
        try:
            return self._known[uri]
        except KeyError:
            found = tuple(self._find(uri))
        if found:
            self._known[uri] = found
        return found

    def _find(self, uri: str) -> list[Place]:
        try:
            segments = parse_uri(uri)
        except InvalidUri:
            return []
        depths = range(1, min(len(segments) - 1, MAX_SKILL_SEGMENTS) + 1)
        paths = ((self.skill_at(segments[:depth]), depth) for depth in depths)
        return [(path, "/".join(segments[depth:])) for path, depth in paths if path is not None]


def skill_of(places: Sequence[Place]) -> SkillPath | None:
    """The skill whose own `SKILL.md` is named; None when none is."""
    return places[-1][0] if places and places[-1][1] == SKILL_MD else None


class Owners:
    """Which skills were found to be the outermost of their place, for whom, and until when."""

    def __init__(self, ttl_s: float, now: Callable[[], float]) -> None:
        self._ttl_s, self._now = ttl_s, now
        self._until = LRUCache[tuple[SkillPath, Caller], float](_OWNERS)

    def remember(self, path: SkillPath, caller: Caller) -> None:
        self._until[path, caller] = self._now() + self._ttl_s

    def knows(self, path: SkillPath, caller: Caller) -> bool:
        try:
            return self._now() < self._until[path, caller]
        except KeyError:
            return False


def _size(places: tuple[Place, ...]) -> int:
    # The URI too, of which each character may be three: it has the length of the first place and its file.
    return sum(200 + 4 * (len(path) + len(file_path)) for path, file_path in places)
