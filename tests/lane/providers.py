"""A provider in memory that can be changed, and that says of everything that it is warm."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gateway.errors import NotServed
from gateway.provider import Caller, Content, EntryPage, Page
from gateway.skill.model import SkillEntry, SkillPath
from tests.protocol.providers import TEXT, skill_md, static_entry


@dataclass
class WarmShelf:
    """Its pages by position, its entries and contents; whatever it is told, it gives as it is."""

    pages: dict[str | None, EntryPage] = field(default_factory=dict)
    entries: dict[str, SkillEntry] = field(default_factory=dict)
    contents: dict[tuple[str, str], Content] = field(default_factory=dict)
    serves_dynamic: bool = False
    namespaces: tuple[str, ...] = ("",)

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        return self.pages[page.position]

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return self.entries.get(path)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        try:
            return self.contents[path, file_path]
        except KeyError:
            raise NotServed(f"{file_path!r} is not a file of {path!r}") from None

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None:
        return self.pages.get(page.position)

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return self.entries.get(path)

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        return self.contents.get((path, file_path))


def shelf(*paths: str, files: Mapping[str, bytes] | None = None) -> WarmShelf:
    """A shelf of static skills on one page; each has `files` besides its `SKILL.md`."""
    files = files or {}
    entries = {path: static_entry(path, files) for path in paths}
    contents = {
        (path, name): Content(data, TEXT)
        for path in paths
        for name, data in {"SKILL.md": skill_md(path.rpartition("/")[2]), **files}.items()
    }
    return WarmShelf({None: EntryPage(tuple(entries.values()))}, {**entries}, contents)
