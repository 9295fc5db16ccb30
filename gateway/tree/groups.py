"""Groups as they are served: built from listings, remembered, and found again by the path of a skill.

Every way to a group comes through here: a walk that meets it, a question for one skill, a read. A group
that was listed again and is as it was stays the same object, so that whatever was made of it can stay.
"""

import logging
from collections.abc import Callable

from gateway.errors import AccessDenied, ObjectArchived, ObjectChanged, ObjectMissing, StoreError
from gateway.memory.shelves import FILE_BYTES, Dated, Memory, Shelf, weight_of_entry
from gateway.skill.model import Problem, SkillPath
from gateway.tree.access import Access
from gateway.tree.answers import Answers
from gateway.tree.build import BuiltGroup, build_group, skill_path
from gateway.tree.directories import SkillDirectories
from gateway.tree.group import Group
from gateway.tree.heads import SkillHeads
from gateway.tree.keys import Segments
from gateway.tree.outage import Outage
from gateway.tree.probe import Prober
from gateway.tree.relist import list_group
from gateway.tree.source import Source

logger = logging.getLogger(__name__)

TRIES = 3
"""How often a group that changes under our hands is listed again before we give up on it."""


class Groups:
    """The groups of one tree."""

    def __init__(
        self,
        source: Source,
        prober: Prober,
        access: Access,
        memory: Memory,
        outage: Outage,
        changed: Callable[[], None],
    ) -> None:
        """`changed` is told when a group is not what was remembered of it."""
        self._source, self._prober, self._access, self._changed = source, prober, access, changed
        self._heads = SkillHeads(source, prober, memory)
        self.directories = SkillDirectories(source)
        shelf: Shelf[SkillPath, BuiltGroup] = Shelf(memory, "group", _weight)
        self._by_path: Answers[SkillPath, BuiltGroup] = Answers(shelf, source.options, outage, source.now)

    def fresh(self, path: SkillPath) -> BuiltGroup | None:
        """The remembered group of a skill, as long as it stands."""
        return self._by_path.fresh(path)

    async def of(self, path: SkillPath) -> BuiltGroup | None:
        """The group that serves the skill at `path`; None when none does."""
        group = await self._by_path.ask(path, lambda: self._find(path))
        return group.value if group is not None and path in group.value.entries else None

    async def build(self, group: Group) -> BuiltGroup:
        """A listed group, decided on and remembered; listed again when it is partial or changes meanwhile."""
        for attempt in range(TRIES):
            if attempt or group.is_partial:
                group = await list_group(self._source, group.root)
            try:
                built = await build_group(group, self._heads, self._prober, self._source.options)
            except (ObjectChanged, ObjectMissing) as moved:
                logger.info("changed while listed, listing again: %s", moved)
                continue
            except (AccessDenied, ObjectArchived) as denied:
                built = await self._denied(group, denied)
            self._tell(built)
            return self._remember(built, group.asked_at)
        path = skill_path(self._source.options, group.root)
        self._source.report(Problem(path, "changing", f"changed {TRIES} times while it was listed; left out for now"))
        return BuiltGroup(group.root, True, {}, {}, ())

    def forget(self, group: BuiltGroup) -> None:
        """An object of the group is known to have changed."""
        for path in group.entries:
            self._by_path.forget(path)
        self.directories.forget(group.root)
        self._changed()

    async def _denied(self, group: Group, denied: StoreError) -> BuiltGroup:
        """A group without skills, as an object of it cannot be read. Raises the error when no other one can be."""
        await self._access.check_alone(denied)
        logger.info("left out: %s", denied)
        path = skill_path(self._source.options, group.root)
        return BuiltGroup(group.root, True, {}, {}, (Problem(path, denied.reason, _advice(denied)),))

    def _tell(self, built: BuiltGroup) -> None:
        for problem in built.problems:
            self._source.report(problem)
        root = built.root
        places = (skill_path(self._source.options, root), self._source.options.prefix + "/".join(root))
        for place in places:
            self._source.problems.looked_at(place, built.problems)

    async def _find(self, path: SkillPath) -> Dated[BuiltGroup] | None:
        segments = self._source.below_mount(path)
        if segments is None:
            return None
        known = self._by_path.last(path)
        if known is not None and await self.directories.owner(known.root[:-1]) is None:
            # One listing says whether it is still a skill, and what it holds.
            again = await self._listed(known.root)
            if again.value.is_skill:
                return again
        owner = await self.directories.owner(segments)
        return None if owner is None else await self._listed(owner)

    async def _listed(self, root: Segments) -> Dated[BuiltGroup]:
        group = await list_group(self._source, root)
        return Dated(await self.build(group), group.asked_at)

    def _remember(self, built: BuiltGroup, asked_at: float) -> BuiltGroup:
        self.directories.learn(built.root, built.is_skill, asked_at)
        known = self._by_path.last(next(iter(built.entries))) if built.entries else None
        if known is not None and known == built:
            built = known
        elif known is not None:
            self._changed()
        for path in built.entries:
            self._by_path.learn(path, built, asked_at)
        return built


def _advice(denied: StoreError) -> str:
    what = (
        "lies in an archive; restore it, and keep lifecycle rules off this prefix"
        if isinstance(denied, ObjectArchived)
        else "may not be read, though others may; look at its encryption key, its owner, and the bucket's policy"
    )
    return f"{denied.key!r} {what}; the skill is left out"


def _weight(group: BuiltGroup) -> int:
    return FILE_BYTES * len(group.objects) + sum(map(weight_of_entry, group.entries.values()))
