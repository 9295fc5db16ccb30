"""The walks of one request: one below each directory that is asked for, one after another."""

from collections import deque
from collections.abc import Iterable
from itertools import islice

from gateway.provider import lies_within
from gateway.skill.model import MAX_SKILL_SEGMENTS
from gateway.tree.group import Group, ancestors
from gateway.tree.listings import Listings
from gateway.tree.position import START, Place
from gateway.tree.source import Source
from gateway.tree.together import together
from gateway.tree.walk import IsSkill, Walk


class Tour:
    """One request's way through the listings below some roots, from a place on."""

    def __init__(
        self, source: Source, listings: Listings, start: Place, roots: Iterable[str], is_skill: IsSkill
    ) -> None:
        """`roots` are directories below the prefix, none below another; an empty text is the whole tree.

        The root of a place that was begun is finished first, whether it is still among them or not. One that holds
        it, when roots became wider meanwhile, is listed from its beginning: twice is better than not at all.
        """
        self._source, self._listings, self._is_skill = source, listings, is_skill
        self._pages_left = source.options.max_list_pages
        self._asked_at = source.now()
        is_begun = start != Place(root=start.root)
        self._walk = self._walk_from(start) if is_begun else None
        self._pending = deque([start] if start.root and not is_begun else [])
        self._pending.extend(
            Place(root=root)
            # What lies below a directory comes right after it, so that what lies in a skill is passed over with it.
            for root in sorted(roots, key=_segments)
            if start == START or _follows(root, start.root)
        )

    @property
    def asked_at(self) -> float:
        """What is taken may be as old as this."""
        return self._asked_at if self._walk is None else min(self._asked_at, self._walk.asked_at)

    async def take(self, skills: int) -> list[Group]:
        """As `Walk.take`, of one root at a time: none only at the end of all, and at the bound on pages."""
        while self._walk is not None or await self._next_root():
            assert self._walk is not None
            if (groups := await self._walk.take(skills)) or self._walk.place() is not None:
                return groups
            self._finish(self._walk)
        return []

    def place(self) -> Place | None:
        """Where the next request goes on after all that was taken; None at the end of the last listing."""
        place = None if self._walk is None else self._walk.place()
        return place or (self._pending[0] if self._pending else None)

    async def _next_root(self) -> bool:
        """Begin with the next root, if this request may read on: with the skill that it lies in, if it does."""
        if not self._pending or self._pages_left <= 0:
            return False
        start = self._pending.popleft()
        above = list(islice(ancestors(start.root_segments), MAX_SKILL_SEGMENTS))
        answers = await together(map(self._is_skill, above))
        root = next(("/".join(one) for one, is_skill in zip(above, answers, strict=True) if is_skill), start.root)
        while self._pending and lies_within(self._pending[0].root, root):
            self._pending.popleft()
        self._walk = self._walk_from(Place(root=root))
        return True

    def _walk_from(self, start: Place) -> Walk:
        return Walk(self._source, self._listings, start, self._is_skill, self._pages_left)

    def _finish(self, walk: Walk) -> None:
        self._pages_left -= walk.pages_read
        self._asked_at = self.asked_at
        self._walk = None


def _follows(root: str, begun: str) -> bool:
    if root == begun or lies_within(root, begun):
        return False
    return lies_within(begun, root) or _segments(root) > _segments(begun)


def _segments(root: str) -> list[str]:
    return root.split("/")
