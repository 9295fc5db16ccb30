"""The view: a provider that answers as if what its caller may not see were not there.

What is hidden by its path is never asked for, so that it answers as an absent skill does, whether it is
there or not, and as fast. A skill nested in another one follows the outermost: hidden with it, seen with
it. Who sees everything gets the answers of the provider behind the view as they are.

Source: provider contract of `gateway.provider`; SEP-2640, Nested Skills.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from gateway.errors import NotADirectory, NotServed
from gateway.policy.nesting import Nesting
from gateway.policy.pages import NOTHING, Filling, MadePage, MadePages
from gateway.policy.policy import Policy
from gateway.policy.roots import narrowed
from gateway.policy.sight import Sight
from gateway.provider import Caller, Content, DirectoryPage, DirectoryProvider, EntryPage, Page, WarmProvider
from gateway.skill.model import SkillEntry, SkillPath


class PolicyView:
    """What a policy shows of one provider to a caller with grants."""

    def __init__(
        self,
        provider: WarmProvider,
        policy: Policy,
        *,
        owner_ttl_s: float = 5.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`owner_ttl_s` is how long it is taken for granted that a path above a skill is none itself."""
        self._provider, self._policy = provider, policy
        self._directories = provider if isinstance(provider, DirectoryProvider) else None
        self._nesting, self._pages = Nesting(provider, owner_ttl_s, now), MadePages()

    @property
    def namespaces(self) -> tuple[str, ...]:
        return self._provider.namespaces

    @property
    def serves_dynamic(self) -> bool:
        return self._provider.serves_dynamic

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        sight = self._sight(caller)
        if sight.sees_everything:
            return await self._provider.list(page, caller)
        if sight.sees_nothing:
            return NOTHING
        within = narrowed(page.within, sight.roots)
        if within is None:
            return NOTHING
        filling = Filling(sight, replace(page, within=within))
        while (asked := filling.wanted()) is not None:
            answer = await self._provider.list(asked, caller)
            rulings = {sight.ruling(entry.path) for entry in answer.entries}
            filling.take(asked, answer, {ruling: await self._nesting.settle(ruling, caller) for ruling in rulings})
        return self._pages.keep((caller.grants, caller.variant, page), filling.made())

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None:
        sight = self._sight(caller)
        if sight.sees_everything:
            return self._provider.warm_list(page, caller)
        if sight.sees_nothing:
            return NOTHING
        made = self._pages.get((caller.grants, caller.variant, page))
        return made.page if made is not None and self._stands(made, caller) else None

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        is_seen = await self._sees(self._sight(caller), path, caller)
        return await self._provider.get(path, caller) if is_seen else None

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        is_seen = self._sees_warm(self._sight(caller), path, caller)
        return self._provider.warm_get(path, caller) if is_seen else None

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        if not await self._sees(self._sight(caller), path, caller):
            raise NotServed(f"No skill is served at {path!r}")
        return await self._provider.read(path, file_path, caller)

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None:
        is_seen = self._sees_warm(self._sight(caller), path, caller)
        return self._provider.warm_read(path, file_path, caller) if is_seen else None

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        if not await self._sees(self._sight(caller), path, caller):
            raise NotADirectory(f"No skill is served at {path!r}")
        if self._directories is None:
            raise NotADirectory(f"no directory of {path!r} can be listed")
        return await self._directories.read_directory(path, directory_path, page, caller)

    async def sees(self, path: SkillPath, caller: Caller) -> bool:
        """Whether a skill at a path is shown to a caller, or would be if there were one."""
        return await self._sees(self._sight(caller), path, caller)

    def sees_everything(self, caller: Caller) -> bool:
        return self._sight(caller).sees_everything

    def _stands(self, made: MadePage, caller: Caller) -> bool:
        """Whether all that a page was made of is as it was, by what is in memory."""
        nesting, warm_list = self._nesting, self._provider.warm_list
        return all(warm_list(asked, caller) is answer for asked, answer in made.parts) and all(
            nesting.settled(ruling, caller) is is_seen for ruling, is_seen in made.settled.items()
        )

    def _sight(self, caller: Caller) -> Sight:
        return self._policy.sight(caller.grants, caller.variant)

    async def _sees(self, sight: Sight, path: SkillPath, caller: Caller) -> bool:
        if sight.sees_everything:
            return True
        ruling = sight.ruling(path)
        return await self._nesting.settle(ruling, caller) if ruling.asks else ruling.otherwise

    def _sees_warm(self, sight: Sight, path: SkillPath, caller: Caller) -> bool | None:
        """None when somebody must be asked."""
        if sight.sees_everything:
            return True
        ruling = sight.ruling(path)
        return self._nesting.settled(ruling, caller) if ruling.asks else ruling.otherwise
