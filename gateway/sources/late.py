"""A source that is chosen once the store answers.

Whoever asks before that waits for the store, and hears why it failed.
"""

import time
from collections.abc import Awaitable, Callable

from gateway.errors import NotADirectory
from gateway.memory.flights import Flights
from gateway.provider import Caller, Content, DirectoryPage, DirectoryProvider, EntryPage, Page
from gateway.skill.model import SkillEntry, SkillPath
from gateway.sources.source import Source
from gateway.web.status import SourceStatus
from gateway.web.view import History


class LateSource:
    """The provider of whatever source `choose` will say, asked for one at a time."""

    def __init__(self, choose: Callable[[], Awaitable[Source]], mount: str) -> None:
        self._choose, self._mount = choose, mount
        self._source: Source | None = None
        self._flights: Flights[str, Source] = Flights(time.monotonic)

    async def choose(self) -> Source:
        """The source. Raises what choosing raises, and chooses again the next time."""

        async def choose() -> Source:
            if self._source is None:
                self._source = await self._choose()
            return self._source

        return self._source or await self._flights.join("source", choose)

    async def ask(self) -> None:
        await (await self.choose()).ask()

    def status(self) -> SourceStatus:
        return SourceStatus("unknown") if self._source is None else self._source.status()

    def history(self) -> History | None:
        return None if self._source is None else self._source.history()

    @property
    def namespaces(self) -> tuple[str, ...]:
        return (self._mount,)

    @property
    def serves_dynamic(self) -> bool:
        return True  # it may, and then lists directories

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        return await (await self.choose()).provider.list(page, caller)

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return await (await self.choose()).provider.get(path, caller)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        return await (await self.choose()).provider.read(path, file_path, caller)

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        provider = (await self.choose()).provider
        if not isinstance(provider, DirectoryProvider):
            raise NotADirectory(f"no directory of {path!r} can be listed")
        return await provider.read_directory(path, directory_path, page, caller)

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None:
        return None if self._source is None else self._source.provider.warm_list(page, caller)

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return None if self._source is None else self._source.provider.warm_get(path, caller)

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        return None if self._source is None else self._source.provider.warm_read(path, file_path, caller)
