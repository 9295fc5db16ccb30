"""Removing what no kept release needs.

Kept are the releases that channels point at, the last few of each channel, and any whose index is younger
than the grace. Of all else an object goes when it is older than the grace: a publish that runs now writes
anew whatever it needs, so its objects are young. The grace must be longer than any publish takes.

What may happen beside this: a publish, a rollback, another prune. Ages are asked for right before each
deletion, and channels are read again before and after the indexes go. Those go first: who points a channel at
a release looks for its index before and after, and one that a channel came to need meanwhile is put back. From
then on no channel can come to need anything old that is not kept.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass

from gateway.errors import ObjectMissing, PublishConflict, ReleaseMissing
from gateway.objects import ObjectKey
from gateway.releases.layout import Layout
from gateway.releases.reach import Pointers, kept_releases, needed_objects, read_pointers
from gateway.releases.repository import Repository
from gateway.releases.together import AT_ONCE, for_each

_TRIES = 3
_INDEX = re.compile(r"([0-9a-f]{20})\.json")
_SIGNATURES = re.compile(r"([0-9a-f]{20})\.sig\.json")
_SHARD = re.compile(r"([0-9a-f]{2})/\1[0-9a-f]{62}\.json")
_BLOB = re.compile(r"([0-9a-f]{2})/\1[0-9a-f]{62}")
_SCRATCH = re.compile(r"conditions-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Rules:
    """What stays: the last `keep` releases of each channel, and what is younger than `grace_s` at `now` (POSIX, s)."""

    keep: int
    grace_s: float
    now: float


@dataclass(frozen=True, slots=True)
class Pruned:
    """`kept` and `gone` are ids of releases, `removed` keys in the order they went, with `size_bytes` in all.

    `young` is how many objects nobody needs stay for their age.
    """

    kept: tuple[str, ...]
    gone: tuple[str, ...]
    removed: tuple[ObjectKey, ...]
    size_bytes: int
    young: int


async def prune(
    repository: Repository,
    rules: Rules,
    *,
    is_dry: bool = False,
    at_once: int = AT_ONCE,
    told: Callable[[ObjectKey], object] = lambda key: None,
) -> Pruned:
    """Remove what is neither needed nor young; `is_dry` only says what would go. `told` hears of each object.

    Raises PublishConflict when channels move all the while, ManifestRefused or ReleaseMissing when something
    that is kept cannot be read: nothing that it might need has gone then.
    """
    sweep = _Sweep(repository, rules, is_dry, at_once, told)
    for _ in range(_TRIES):
        if (kept := await sweep.run()) is not None:
            return Pruned(
                tuple(kept), tuple(sorted(sweep.gone)), tuple(sweep.removed), sweep.size_bytes, len(sweep.young)
            )
    raise PublishConflict(f"channels moved {_TRIES} times while this ran; run it again when nobody publishes")


class _Sweep:
    def __init__(
        self,
        repository: Repository,
        rules: Rules,
        is_dry: bool,
        at_once: int,
        told: Callable[[ObjectKey], object],
    ) -> None:
        self._repository, self._rules = repository, rules
        self._is_dry, self._at_once, self._told = is_dry, at_once, told
        self.gone: dict[str, bytes] = {}
        self.removed: list[ObjectKey] = []
        self.young: set[ObjectKey] = set()
        self.size_bytes = 0

    async def run(self) -> list[str] | None:
        """Once through everything; ids of the releases that stay, or None when something moved meanwhile."""
        repository, layout = self._repository, self._repository.layout
        pointers = await read_pointers(repository)
        kept = await kept_releases(repository, pointers, self._rules.keep)
        old, young = await self._other_releases(kept)
        indexes = [*kept.values(), *[(await repository.index_of(release))[0] for release in young]]
        needed = await needed_objects(repository, indexes, self._at_once)
        needed |= {layout.signatures(release) for release in (*kept, *young)}
        if not await self._remove_indexes(pointers, old):
            return None
        for folder, name in _kinds(layout):
            await self._remove_all(folder, name, needed)
        return [*kept, *young]

    async def _other_releases(self, kept: Iterable[str]) -> tuple[list[str], list[str]]:
        """Ids of the releases that are not kept and whose index is old, and of those whose index is young."""
        old, young = list[str](), list[str]()
        async for key in self._keys(self._repository.layout.releases, _INDEX):
            release = key.removeprefix(self._repository.layout.releases).removesuffix(".json")
            if release not in kept:
                (old if await self._old_size(key) is not None else young).append(release)
        return old, young

    async def _remove_indexes(self, pointers: Pointers, releases: Iterable[str]) -> bool:
        """False when something moved meanwhile; what a channel came to point at is put back."""
        if not await self._is_still(pointers):
            return False
        if await self._remove_each(releases) and await self._is_still(pointers):
            return True
        await self._put_back()
        return False

    async def _remove_each(self, releases: Iterable[str]) -> bool:
        for release in releases:
            try:
                data = await self._repository.index_bytes(release)
            except ReleaseMissing:
                continue  # another prune was here
            if not await self._remove(self._repository.layout.index(release)):
                return False  # somebody publishes this very release
            self.gone[release] = data
        return True

    async def _put_back(self) -> None:
        for held in (await read_pointers(self._repository)).values():
            release = held.pointer.current.release
            if (lost := self.gone.pop(release, None)) is not None:
                key = self._repository.layout.index(release)
                await self._repository.store.put(key, lost, media_type="application/json")
                self.removed.remove(key)

    async def _remove_all(self, folder: str, name: "re.Pattern[str]", needed: set[ObjectKey]) -> None:
        async def unneeded() -> AsyncIterator[ObjectKey]:
            async for key in self._keys(folder, name):
                if key not in needed:
                    yield key

        await for_each(unneeded(), self._remove, self._at_once)

    async def _is_still(self, pointers: Pointers) -> bool:
        return self._is_dry or await read_pointers(self._repository) == pointers

    async def _keys(self, folder: str, name: "re.Pattern[str]") -> AsyncIterator[ObjectKey]:
        """Keys that a publish gives; whatever else lies there is not ours to remove."""
        async for key in self._repository.keys(folder):
            if name.fullmatch(key.removeprefix(folder)):
                yield key

    async def _remove(self, key: ObjectKey) -> bool:
        """Whether the object is old, and is removed."""
        size = await self._old_size(key)
        if size is None:
            self.young.add(key)
            return False
        if not self._is_dry:
            await self._repository.store.delete(key)
        self.removed.append(key)
        self.size_bytes += size
        self._told(key)
        return True

    async def _old_size(self, key: ObjectKey) -> int | None:
        """Bytes of an object past the grace; None for a younger one, and for one without a date."""
        try:
            head = await self._repository.store.head(key)
        except ObjectMissing:
            return 0  # another prune was here
        is_old = head.modified_at is not None and self._rules.now - head.modified_at >= self._rules.grace_s
        return head.size if is_old else None


def _kinds(layout: Layout) -> tuple[tuple[str, "re.Pattern[str]"], ...]:
    """Folders in the order they are swept: a part never goes before what names it."""
    return (
        (layout.releases, _SIGNATURES),
        (layout.shards, _SHARD),
        (layout.blobs, _BLOB),
        (layout.scratch(""), _SCRATCH),
    )
