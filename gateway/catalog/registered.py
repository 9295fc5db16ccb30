"""`RegisteredSkills`: static and dynamic skills given in code, as one provider.

Nested static skills publish the same files that the enclosing manifest lists, so that the outermost
one owns them all; dynamic skills share no namespace with anything. Both are checked when the provider
is made, with a message that names both skills. Source: SEP-2640, Nested Skills.
"""

from collections.abc import Sequence
from itertools import islice

from cachetools import LRUCache

from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.static import RegistrationRefused, StaticSkill
from gateway.errors import NotADirectory, NotServed
from gateway.provider import Caller, Content, DirectoryPage, EntryPage, Page
from gateway.skill.model import SKILL_MD, SkillEntry, SkillPath
from gateway.skill.uri import skill_uri

RegisteredSkill = StaticSkill | DynamicSkill

_PAGES = 1024
"""Pages that are remembered, so that the same one is the same object."""


class RegisteredSkills:
    """A provider over skills that are all known when it is made."""

    def __init__(self, skills: Sequence[RegisteredSkill]) -> None:
        """Raises RegistrationRefused for two skills that cannot stand beside each other."""
        self._skills: dict[SkillPath, RegisteredSkill] = {}
        for skill in sorted(skills, key=lambda skill: skill_uri(skill.path, SKILL_MD)):
            if skill.path in self._skills:
                raise RegistrationRefused(f"{skill.path} is registered twice; rename one of the two")
            self._skills[skill.path] = skill
        for skill in skills:
            for outer in self._enclosing(skill.path):
                _check_nested(outer, skill)
        self._pages = LRUCache[tuple[int, int], EntryPage](_PAGES)

    @property
    def namespaces(self) -> tuple[str, ...]:
        return tuple(path for path in self._skills if not self._enclosing(path))

    @property
    def serves_dynamic(self) -> bool:
        """Whether a directory read may have to ask a callback."""
        return any(isinstance(skill, DynamicSkill) for skill in self._skills.values())

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        return self.warm_list(page, caller)

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return self.warm_get(path, caller)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        skill = self._skills.get(path)
        if isinstance(skill, DynamicSkill):
            return await skill.read(file_path)
        content = self.warm_read(path, file_path, caller)
        if content is None:
            raise NotServed(f"{file_path!r} is not a file of {path!r}")
        return content

    def warm_list(self, page: Page, caller: Caller) -> EntryPage:
        first = 0 if page.position is None else int(page.position)
        known = self._pages.get((first, page.limit))
        if known is None:
            entries = [skill.entry for skill in islice(self._skills.values(), first, first + page.limit)]
            following = first + len(entries)
            known = EntryPage(tuple(entries), str(following) if following < len(self._skills) else None)
            self._pages[first, page.limit] = known
        return known

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        skill = self._skills.get(path)
        return skill.entry if skill else None

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        """A file of a static skill; those of dynamic ones are made when they are asked for."""
        skill = self._skills.get(path)
        return skill.contents.get(file_path) if isinstance(skill, StaticSkill) else None

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        skill = self._skills.get(path)
        if not isinstance(skill, DynamicSkill):
            raise NotADirectory(f"{path!r} is no dynamic skill")
        return await skill.read_directory(directory_path, page)

    def _enclosing(self, path: SkillPath) -> Sequence[RegisteredSkill]:
        segments = path.split("/")
        above = (SkillPath("/".join(segments[:depth])) for depth in range(1, len(segments)))
        return [self._skills[place] for place in above if place in self._skills]


def _check_nested(outer: RegisteredSkill, inner: RegisteredSkill) -> None:
    if isinstance(outer, DynamicSkill) and isinstance(inner, DynamicSkill):
        raise RegistrationRefused(
            f"{inner.path} lies inside {outer.path}, and both are dynamic; dynamic skills need namespaces of their own"
        )
    if isinstance(outer, DynamicSkill) or isinstance(inner, DynamicSkill):
        raise RegistrationRefused(
            f"{inner.path} lies inside {outer.path}, and one of them is dynamic and the other static; "
            "nested skills are all static"
        )
    head = inner.path[len(outer.path) + 1 :] + "/"
    outside = {name[len(head) :]: file.data for name, file in outer.files.items() if name.startswith(head)}
    inside = {name: file.data for name, file in inner.files.items()}
    if odd := sorted(name for name in outside.keys() | inside.keys() if outside.get(name) != inside.get(name)):
        raise RegistrationRefused(
            f"{inner.path} lies inside {outer.path} and the two do not publish the same {head}{odd[0]}; "
            f"give every file of {inner.path} to {outer.path} too"
        )
