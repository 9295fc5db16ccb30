"""The flat walk: listing pages in, groups out, no more pages than asked for.

One `ListObjectsV2` walk without delimiter under the prefix, plus one HEAD for each directory whose
being a skill a page leaves in doubt. Holds one open group and the groups not yet taken.
"""

from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from gateway.errors import StoreMisbehaved
from gateway.objects import ListPage
from gateway.skill.model import Problem
from gateway.tree.group import Group, ancestors
from gateway.tree.grouping import Grouper, ListedPage, cut_unservable, doubtful
from gateway.tree.keys import Segments
from gateway.tree.listings import Listings
from gateway.tree.position import Place
from gateway.tree.resume import skip_passed
from gateway.tree.source import Source
from gateway.tree.together import together

IsSkill = Callable[[Segments], Coroutine[Any, Any, bool]]
"""Whether a directory is a skill."""


class Walk:
    """One request's way through the listing, from a place on."""

    def __init__(
        self,
        source: Source,
        listings: Listings,
        start: Place,
        is_skill: IsSkill,
        max_pages: int,
    ) -> None:
        """Walks through what lies below the root of `start`, when nothing above that is a skill.

        `is_skill` is asked about directories that a page leaves in doubt.
        """
        self._source, self._keys, self._options = source, source.keys, source.options
        self._listings = listings
        self._is_skill = is_skill
        self._start, self._max_pages = replace(start, inside=""), max_pages
        self._passed = start.passed_root
        self._token = start.token
        self._tokens_seen: set[str] = set()
        self._is_over = False
        self.pages_read = 0
        self.asked_at = source.now()
        """What is taken may be as old as this, the time of the oldest listing page read."""
        self._known: dict[Segments, bool] = dict.fromkeys(ancestors(self._passed or start.root_segments), False)
        if self._passed:
            self._known[self._passed] = True
        self._grouper = Grouper(self._options.max_skill_keys, start)
        self._ready: deque[Group] = deque()

    async def take(self, skills: int) -> list[Group]:
        """The next groups, until they hold `skills` candidates or more.

        Fewer, or none, at the end of the listing and at the bound on pages; `place` tells them apart.
        """
        taken: list[Group] = []
        while skills > 0 and (self._ready or await self._read_page()):
            while self._ready and skills > 0:
                group = self._ready.popleft()
                taken.append(group)
                skills -= max(1, len(group.skill_directories))
        return taken

    def place(self) -> Place | None:
        """Where the next request goes on after all that was taken; None at the end of the listing."""
        following = self._ready[0] if self._ready else self._grouper.open
        if following is not None:
            return following.begin
        if self._is_over:
            return None
        return Place(self._token, "/".join(self._grouper.tail), root=self._start.root)

    async def _read_page(self) -> bool:
        """Read one listing page on; False when there is none, or when this request has read enough."""
        if self._is_over or (self.pages_read >= self._max_pages and self._may_rest()):
            return bool(self._ready)
        dated = await self._listings.page(self._start.root, self._token)
        page = dated.value
        self.asked_at = min(self.asked_at, dated.asked_at)
        self._check_progress(page)
        listed = self._locate(page, dated.asked_at)
        await self._settle(listed)
        self._take_in(self._grouper.feed(listed, self._known))
        self._forget_closed(listed)
        self._token, self._is_over = page.next_token, page.next_token is None
        self.pages_read += 1
        return True

    def _may_rest(self) -> bool:
        """A group that was open from the start must close first, or the next request would begin it again.

        One past its bound on keys is closed here: what is still to come of it is dropped.
        """
        if self._grouper.open is not None and self._grouper.open.is_too_large:
            self._ready.append(self._grouper.close())
        return self._grouper.open is None or self._grouper.open.begin != self._start

    def _check_progress(self, page: ListPage) -> None:
        if self._token is not None:
            self._tokens_seen.add(self._token)
        if page.next_token in self._tokens_seen:
            raise StoreMisbehaved(
                f"listing {self._keys.prefix!r}: the store gave the same continuation token twice, "
                "so the listing would never end; nothing was served from it"
            )

    def _locate(self, page: ListPage, asked_at: float) -> ListedPage:
        places = [(self._keys.segments_of(listed.key), self._keys.locate(listed)) for listed in page.objects]
        edges = (cut_unservable(places[0][0]), cut_unservable(places[-1][0])) if places else ()
        is_resumed = self.pages_read == 0 and self._token is not None
        if self._passed and self.pages_read == 0:
            places = skip_passed(places, self._passed)
        return ListedPage(self._token, asked_at, page.next_token is None, is_resumed, tuple(places), edges)

    async def _settle(self, page: ListedPage) -> None:
        doubts = doubtful(page, self._known)
        answers = await together(self._is_skill(directory) for directory in doubts)
        self._known.update(zip(doubts, answers, strict=True))

    def _take_in(self, closed: list[Group | Problem]) -> None:
        for item in closed:
            if isinstance(item, Problem):
                self._source.report(item)
            else:
                self._ready.append(item)

    def _forget_closed(self, page: ListedPage) -> None:
        """Only what leads to the page's last key can matter on the next page: memory stays small."""
        if not page.edges:
            return
        here = page.skill_directories()
        self._known = {
            directory: directory in here or self._known[directory]
            for directory in ancestors(page.edges[1])
            if directory in here or directory in self._known
        }
