"""A folder of skills as it is to be published: what a gateway would serve of it, and each file as it is now.

It asks the very code that serves, so what is published is what would be served.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from gateway.cli.logs import problems_left_to_the_result
from gateway.cli.terminal import UsageRefused, talk
from gateway.errors import ObjectChanged, ObjectMissing, PublishRefused
from gateway.local.folder import FolderStore
from gateway.objects import MAX_LIST_KEYS, ListPage, ObjectKey
from gateway.settings import Settings
from gateway.skill.model import SKILL_MD, Problem, SkillEntry, SkillPath

_ANY_SIZE = 2**53 - 1
_EVERY = 50


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found: the skills, remarks on them, and what is refused and why."""

    entries: tuple[SkillEntry, ...]
    remarks: tuple[Problem, ...]
    refused: tuple[Problem, ...]


class SkillFolder:
    """A folder with skills, or one that is a skill itself and then the only one."""

    def __init__(self, folder: Path) -> None:
        """Raises UsageRefused when there is no such folder."""
        if not folder.is_dir():
            raise UsageRefused(f"{folder} is no folder; name one that has skills (folders with a {SKILL_MD}) in it")
        root = folder.resolve()
        self._store = _OneSkill(root) if (root / SKILL_MD).is_file() else FolderStore(root)

    async def survey(self, settings: Settings) -> Survey:
        """Every skill, none of them dynamic. The settings say what is refused; prefix and mount are the server's."""
        from gateway.sources.tree import tree_options
        from gateway.tree.provider import TreeProvider

        options = replace(tree_options(settings), prefix="", mount=(), max_hash_bytes=_ANY_SIZE)
        problems: list[Problem] = []
        provider = TreeProvider(self._store, options, on_problem=problems.append)
        with problems_left_to_the_result(), talk.status("checking ...") as status:
            entries: list[SkillEntry] = []
            async for entry in provider.survey():
                entries.append(entry)
                if len(entries) % _EVERY == 0:
                    status.update(f"checking ... {len(entries)} skills so far")
        problems = sorted([*problems, *self._store.skipped], key=lambda problem: (problem.where, problem.line))
        paths = {entry.path for entry in entries}
        return Survey(
            tuple(entries),
            tuple(problem for problem in problems if problem.where in paths),
            tuple(problem for problem in problems if problem.where not in paths),
        )

    async def read(self, path: SkillPath, file_path: str) -> bytes:
        """One file of one skill as it is now. Raises PublishRefused when it is gone, or is being written."""
        try:
            return (await self._store.get(ObjectKey(f"{path}/{file_path}"), max_bytes=_ANY_SIZE)).data
        except (ObjectMissing, ObjectChanged):
            raise PublishRefused(f"{path}/{file_path} changed while it was published; run this again") from None


class _OneSkill(FolderStore):
    """The folder above a skill, with nothing in it but that skill."""

    def __init__(self, root: Path) -> None:
        super().__init__(root.parent)
        self._only = f"{root.name}/"

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = MAX_LIST_KEYS, by_directory: bool = False
    ) -> ListPage:
        if not prefix.startswith(self._only):
            prefix = self._only
        return await super().list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)
