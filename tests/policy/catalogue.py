"""A catalogue in memory that tells what it was asked."""

from dataclasses import dataclass, field

from gateway.errors import NotServed
from gateway.provider import Caller, Child, Content, DirectoryPage, EntryPage, Page
from gateway.skill.model import SkillEntry, SkillPath
from tests.protocol.providers import TEXT, static_entry


@dataclass
class Catalogue:
    """Gives the same objects for the same questions. `asked` are those that waited, `is_warm` whether it has answers
    without them."""

    entries: dict[str, SkillEntry]
    is_warm: bool = True
    serves_dynamic: bool = True
    namespaces: tuple[str, ...] = ("",)
    asked: list[object] = field(default_factory=list)
    pages: dict[tuple[str | None, int], EntryPage] = field(default_factory=dict)

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        self.asked.append(page)
        return self._page(page)

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        self.asked.append(path)
        return self.entries.get(path)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        self.asked.append((path, file_path))
        if path not in self.entries:
            raise NotServed("gone")
        return Content(b"", TEXT)

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        self.asked.append((path, directory_path))
        return DirectoryPage((Child("SKILL.md", is_directory=False),))

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None:
        return self._page(page) if self.is_warm else None

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return self.entries.get(path) if self.is_warm else None

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        return Content(b"", TEXT) if self.is_warm and path in self.entries else None

    def _page(self, page: Page) -> EntryPage:
        key = (page.position, page.limit)
        if key not in self.pages:
            first = int(page.position or 0)
            end = first + page.limit
            listed = tuple(self.entries.values())
            self.pages[key] = EntryPage(listed[first:end], str(end) if end < len(listed) else None)
        return self.pages[key]


def catalogue(*paths: str) -> Catalogue:
    return Catalogue({path: static_entry(path) for path in paths})
