"""What a caller may know of a source besides its skills: what is refused, and paths of its past."""

from collections.abc import Sequence

from gateway.policy.view import PolicyView
from gateway.provider import Caller
from gateway.skill.model import Problem, SkillPath
from gateway.sources.source import Source

_OF_KEYS = frozenset({"file_and_directory", "skill_at_root", "unservable_key", "wrong_sha256_metadata"})
"""Codes of problems that lie at keys of the bucket, which no rule speaks of."""


class Seen:
    """Everything, where there are no rules."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def problems(self, caller: Caller) -> Sequence[Problem]:
        return self._source.status().problems

    async def sees(self, path: str, caller: Caller) -> bool:
        return True

    def sees_everything(self, caller: Caller) -> bool:
        return True


class SeenBy(Seen):
    """What a policy shows."""

    def __init__(self, source: Source, view: PolicyView) -> None:
        super().__init__(source)
        self._view = view

    async def problems(self, caller: Caller) -> Sequence[Problem]:
        known = await super().problems(caller)
        if self.sees_everything(caller):
            return known
        of_skills = [problem for problem in known if problem.code not in _OF_KEYS]
        return [problem for problem in of_skills if await self.sees(problem.where, caller)]

    async def sees(self, path: str, caller: Caller) -> bool:
        return await self._view.sees(SkillPath(path), caller)

    def sees_everything(self, caller: Caller) -> bool:
        return self._view.sees_everything(caller)
