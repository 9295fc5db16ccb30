"""Which of the paths above a skill are skills themselves: the outermost of them decides who sees it.

That a path is no skill is taken for granted for a while, so that it is not asked again for every skill
below it, and so that what is in memory can be answered from there.
"""

from collections.abc import Callable

from cachetools import LRUCache

from gateway.policy.sight import Ruling
from gateway.provider import Caller, WarmProvider
from gateway.skill.model import SkillPath

_REMEMBERED = 4096


class Nesting:
    """Settles the rulings of a sight for one provider."""

    def __init__(self, provider: WarmProvider, ttl_s: float, now: Callable[[], float]) -> None:
        self._provider, self._ttl_s, self._now = provider, ttl_s, now
        self._none_until = LRUCache[tuple[str, SkillPath], float](_REMEMBERED)

    async def settle(self, ruling: Ruling, caller: Caller) -> bool:
        """Whether the skill is seen. Only what lies above it is asked for, whether or not there is such a skill."""
        for path, is_seen in ruling.asks:
            if await self._is_skill(path, caller):
                return is_seen
        return ruling.otherwise

    def settled(self, ruling: Ruling, caller: Caller) -> bool | None:
        """As `settle`, without asking anybody; None when somebody must be asked."""
        for path, is_seen in ruling.asks:
            if not self._is_none(path, caller):
                return is_seen if self._provider.warm_get(path, caller) is not None else None
        return ruling.otherwise

    async def _is_skill(self, path: SkillPath, caller: Caller) -> bool:
        if self._is_none(path, caller):
            return False
        asked_at = self._now()
        if await self._provider.get(path, caller) is not None:
            return True
        self._none_until[caller.variant, path] = asked_at + self._ttl_s
        return False

    def _is_none(self, path: SkillPath, caller: Caller) -> bool:
        try:
            return self._now() < self._none_until[caller.variant, path]
        except KeyError:
            return False
