"""`CombinedProvider`: several providers behind one server, each with a namespace of its own.

They are listed one after another, in the order given; a path is answered by the one whose namespace
holds it. Disjointness is checked once, when they are put together.
"""

import json
from collections.abc import Generator, Sequence

from cachetools import LRUCache

from gateway.catalog.static import RegistrationRefused
from gateway.errors import NotADirectory, NotServed, ProviderFault
from gateway.protocol.checks import check_position
from gateway.provider import (
    Caller,
    Content,
    DirectoryPage,
    DirectoryProvider,
    EntryPage,
    Page,
    SkillProvider,
    WarmProvider,
    lies_within,
)
from gateway.skill.model import SkillEntry, SkillPath

_PAGES = 256
"""Pages that are remembered, so that the same one is the same object."""


class CombinedProvider:
    """Providers with disjoint namespaces as one provider."""

    def __init__(self, providers: Sequence[SkillProvider]) -> None:
        """Raises RegistrationRefused that names both namespaces when two meet."""
        self._providers = tuple(providers)
        self._warm = tuple(provider if isinstance(provider, WarmProvider) else None for provider in providers)
        spaces = [(space, index) for index, provider in enumerate(providers) for space in provider.namespaces]
        self._spaces = dict(spaces)
        self._pages = LRUCache[tuple[str | int | None, ...], tuple[tuple[EntryPage, ...], EntryPage]](_PAGES)
        for space, index in spaces:
            for other, other_index in spaces:
                if index < other_index and (lies_within(other, space) or lies_within(space, other)):
                    raise RegistrationRefused(
                        f"two sources meet: {_shown(space)} and {_shown(other)}; give one of them another prefix"
                    )

    @property
    def namespaces(self) -> tuple[str, ...]:
        return tuple(self._spaces)

    @property
    def serves_dynamic(self) -> bool:
        return any(provider.serves_dynamic for provider in self._providers)

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        paging, answer = self._paging(page), None
        while True:
            try:
                index, asked = paging.send(answer)
            except StopIteration as end:
                return end.value
            answer = await self._providers[index].list(asked, caller)

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None:
        """The page when every source that it is made of has its part in memory."""
        paging, answer = self._paging(page), None
        while True:
            try:
                index, asked = paging.send(answer)
            except StopIteration as end:
                return end.value
            warm = self._warm[index]
            answer = None if warm is None else warm.warm_list(asked, caller)
            if answer is None:
                return None

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        provider = self._owner(path)
        return await provider.get(path, caller) if provider else None

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        warm = self._warm_owner(path)
        return None if warm is None else warm.warm_get(path, caller)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        provider = self._owner(path)
        if provider is None:
            raise NotServed(f"no skill is served at {path!r}")
        return await provider.read(path, file_path, caller)

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        warm = self._warm_owner(path)
        return None if warm is None else warm.warm_read(path, file_path, caller)

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        provider = self._owner(path)
        if not isinstance(provider, DirectoryProvider):
            raise NotADirectory(f"no directory of {path!r} can be listed")
        return await provider.read_directory(path, directory_path, page, caller)

    def _paging(self, page: Page) -> Generator[tuple[int, Page], EntryPage | None, EntryPage]:
        """What to ask which provider for a page, one after another; at the end the page of all that they answered."""
        index, position = (0, None) if page.position is None else json.loads(page.position)
        parts: list[tuple[int, EntryPage]] = []
        served = 0
        while index < len(self._providers) and served < page.limit:
            asked = Page(page.limit - served, page.offset + served, position, page.within)
            answer = yield index, asked
            assert answer is not None
            check_position(answer.position, asked)
            parts.append((index, answer))
            served, position = served + len(answer.entries), answer.position
            if position is None:
                index += 1
            elif not answer.entries:
                break  # a source may answer with less than was asked for: so does this one
        is_last = index >= len(self._providers)
        return self._joined(parts, None if is_last else json.dumps([index, position]))

    def _joined(self, parts: Sequence[tuple[int, EntryPage]], position: str | None) -> EntryPage:
        """One page of several; the same object for the same parts, if their sources keep theirs the same."""
        pages = tuple(part for _, part in parts)
        key = (position, *map(id, pages))
        # The parts are kept with the whole, so that no other object gets the identity of one.
        if (known := self._pages.get(key)) is not None:
            return known[1]
        for index, part in parts:
            for entry in part.entries:
                if self._index_of(entry.path) != index:
                    raise ProviderFault(f"a source lists {entry.path!r}, which is not in its namespaces")
        joined = EntryPage(tuple(entry for part in pages for entry in part.entries), position)
        if all(self._warm[index] for index, _ in parts):
            self._pages[key] = (pages, joined)
        return joined

    def _owner(self, path: SkillPath) -> SkillProvider | None:
        index = self._index_of(path)
        return None if index is None else self._providers[index]

    def _warm_owner(self, path: SkillPath) -> WarmProvider | None:
        index = self._index_of(path)
        return None if index is None else self._warm[index]

    def _index_of(self, path: SkillPath) -> int | None:
        segments = path.split("/")
        for depth in range(len(segments) + 1):
            if (index := self._spaces.get("/".join(segments[:depth]))) is not None:
                return index
        return None


def _shown(space: str) -> str:
    return repr(space) if space else "the whole namespace"
