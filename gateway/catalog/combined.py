"""`CombinedProvider`: several providers behind one server, each with a namespace of its own.

They are listed one after another, in the order given; a path is answered by the one whose namespace
holds it. Disjointness is checked once, when they are put together.
"""

import json
from collections.abc import Sequence

from gateway.catalog.static import RegistrationRefused
from gateway.errors import NotADirectory, NotServed, ProviderFault
from gateway.protocol.checks import check_position
from gateway.provider import Caller, Content, DirectoryPage, DirectoryProvider, EntryPage, Page, SkillProvider
from gateway.skill.model import SkillEntry, SkillPath


class CombinedProvider:
    """Providers with disjoint namespaces as one provider."""

    def __init__(self, providers: Sequence[SkillProvider]) -> None:
        """Raises RegistrationRefused that names both namespaces when two meet."""
        self._providers = tuple(providers)
        spaces = [(space, index) for index, provider in enumerate(providers) for space in provider.namespaces]
        self._spaces = dict(spaces)
        for space, index in spaces:
            for other, other_index in spaces:
                if index < other_index and (_holds(space, other) or _holds(other, space)):
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
        index, position = (0, None) if page.position is None else json.loads(page.position)
        entries: list[SkillEntry] = []
        while index < len(self._providers) and len(entries) < page.limit:
            asked = Page(page.limit - len(entries), page.offset + len(entries), position)
            answer = await self._providers[index].list(asked, caller)
            check_position(answer.position, asked)
            for entry in answer.entries:
                if self._owner(entry.path) is not self._providers[index]:
                    raise ProviderFault(f"a source lists {entry.path!r}, which is not in its namespaces")
            entries.extend(answer.entries)
            position = answer.position
            if position is None:
                index += 1
            elif not answer.entries:
                break  # a source may answer with less than was asked for: so does this one
        is_last = index >= len(self._providers)
        return EntryPage(tuple(entries), None if is_last else json.dumps([index, position]))

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        provider = self._owner(path)
        return await provider.get(path, caller) if provider else None

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        provider = self._owner(path)
        if provider is None:
            raise NotServed(f"no skill is served at {path!r}")
        return await provider.read(path, file_path, caller)

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        provider = self._owner(path)
        if not isinstance(provider, DirectoryProvider):
            raise NotADirectory(f"no directory of {path!r} can be listed")
        return await provider.read_directory(path, directory_path, page, caller)

    def _owner(self, path: SkillPath) -> SkillProvider | None:
        segments = path.split("/")
        for depth in range(len(segments) + 1):
            if (index := self._spaces.get("/".join(segments[:depth]))) is not None:
                return self._providers[index]
        return None


def _holds(space: str, other: str) -> bool:
    return not space or other == space or other.startswith(space + "/")


def _shown(space: str) -> str:
    return repr(space) if space else "the whole namespace"
