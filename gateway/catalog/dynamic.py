"""`DynamicSkill`: a skill whose files are made when they are asked for.

What is registered (the `SKILL.md`, declared directories and what leads to them) is answered here; the
rest comes from two callbacks. A callback's answer is checked like any provider's, and it must not
repeat what is managed here. Source: SEP-2640, `resources: "dynamic"`.
"""

import json
from collections.abc import Awaitable, Callable, Sequence

from gateway.catalog.static import RegistrationRefused, registered_frontmatter
from gateway.errors import NotADirectory, ProviderFault
from gateway.protocol.checks import check_position
from gateway.provider import Child, Content, DirectoryPage, Page
from gateway.skill.media import looks_like_utf8, media_type_of
from gateway.skill.model import SKILL_MD, SkillEntry, SkillPath
from gateway.skill.rules import entry_fault
from gateway.skill.uri import skill_uri

ReadResource = Callable[[str], Awaitable[bytes | str | Content]]
"""From the canonical URI of a file to its content; raises NotServed when there is none."""

ReadDirectory = Callable[[str, Page], Awaitable[DirectoryPage]]
"""From the canonical URI of a directory to its next direct children; raises NotADirectory when there is none.

`page.limit` bounds the children, `page.offset` counts those it gave before, `page.position` is its own.
"""


class DynamicSkill:
    """One skill of which only `SKILL.md` and some directories are known beforehand."""

    def __init__(
        self,
        path: str,
        skill_md: bytes | str,
        *,
        read_resource: ReadResource,
        read_directory: ReadDirectory | None = None,
        directories: Sequence[str] = (),
        allow_binary: bool = False,
    ) -> None:
        """`directories` are published whether or not the callback has anything in them.

        Raises RegistrationRefused for a `SKILL.md` or a directory that breaks a rule.
        """
        self.path = SkillPath(path)
        self.allow_binary = allow_binary
        self.skill_md = skill_md.encode() if isinstance(skill_md, str) else skill_md
        frontmatter = registered_frontmatter(path, self.skill_md)
        self.entry = SkillEntry(self.path, frontmatter, None, tuple(directories))
        if fault := entry_fault(self.entry):
            raise RegistrationRefused(fault)
        self._read_resource, self._read_directory = read_resource, read_directory
        self.has_directories = read_directory is not None

    async def read(self, file_path: str) -> Content:
        """One file. Raises NotServed as the callback does, ProviderFault for an answer that is no content."""
        if file_path == SKILL_MD:
            return Content(self.skill_md, "text/markdown", allow_binary=self.allow_binary)
        answer = await self._read_resource(skill_uri(self.path, file_path))
        if isinstance(answer, Content):
            return answer
        if not isinstance(answer, bytes | str):  # pyright: ignore[reportUnnecessaryIsInstance] - a user's callback
            raise ProviderFault(f"read_resource of {self.path!r} returned {type(answer).__name__}, needs bytes or text")
        data = answer.encode() if isinstance(answer, str) else answer
        media_type = media_type_of(file_path, None, looks_like_utf8(data, None))
        return Content(data, media_type, allow_binary=self.allow_binary)

    async def read_directory(self, directory_path: str, page: Page) -> DirectoryPage:
        """Managed children first, in the order of their names, then the callback's pages in its own order."""
        managed = self._managed(directory_path)
        is_managed, position = _load(page.position)
        names = sorted(name for name in managed if position is None or name > position) if is_managed else []
        served = [managed[name] for name in names[: page.limit]]
        if len(names) > page.limit:
            return DirectoryPage(tuple(served), json.dumps([True, served[-1].name]))
        asked = Page(page.limit - len(served), max(0, page.offset - len(managed)), None if is_managed else position)
        if asked.limit == 0:
            return DirectoryPage(tuple(served), json.dumps([False, None]))
        is_known = bool(managed) or not directory_path or directory_path in self.entry.directories
        answer = await self._ask(directory_path, asked, is_known=is_known)
        if repeated := {child.name for child in answer.children} & managed.keys():
            raise ProviderFault(f"read_directory of {self.path!r} returned {min(repeated)!r}, which is managed here")
        position = None if answer.position is None else json.dumps([False, answer.position])
        return DirectoryPage((*served, *answer.children), position)

    async def _ask(self, directory_path: str, page: Page, *, is_known: bool) -> DirectoryPage:
        if self._read_directory is None:
            if is_known:
                return DirectoryPage(())
            raise NotADirectory(f"{directory_path!r} is not a directory of {self.path!r}")
        uri = skill_uri(self.path, directory_path) if directory_path else _root_uri(self.path)
        try:
            answer = await self._read_directory(uri, page)
        except NotADirectory:
            if is_known:
                return DirectoryPage(())
            raise
        if not isinstance(answer, DirectoryPage):  # pyright: ignore[reportUnnecessaryIsInstance] - a user's callback
            kind = type(answer).__name__
            raise ProviderFault(f"read_directory of {self.path!r} returned {kind}, needs a DirectoryPage")
        if len(answer.children) > page.limit:
            given = len(answer.children)
            raise ProviderFault(f"read_directory of {self.path!r} returned {given} children, at most {page.limit}")
        # It is wrapped before it is sent, so that the adapter's own check never sees it.
        check_position(answer.position, page)
        return answer

    def _managed(self, directory_path: str) -> dict[str, Child]:
        head = f"{directory_path}/" if directory_path else ""
        names = {place[len(head) :].partition("/")[0] for place in self.entry.directories if place.startswith(head)}
        managed = {name: Child(name, is_directory=True) for name in names if name}
        if not directory_path:
            managed[SKILL_MD] = Child(SKILL_MD, False, len(self.skill_md), "text/markdown")
        return managed


def _root_uri(path: str) -> str:
    return skill_uri(path, SKILL_MD).removesuffix("/" + SKILL_MD)


def _load(position: str | None) -> tuple[bool, str | None]:
    """Whether managed children are still to come, and where in them or in the callback's pages."""
    if position is None:
        return True, None
    is_managed, inner = json.loads(position)
    return bool(is_managed), inner
