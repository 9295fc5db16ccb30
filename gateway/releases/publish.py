"""Publishing: contents first, then shards, then the index, and last of all the channel.

Until the channel moves nobody sees anything of it, so a publish may stop anywhere: the old release
serves, and the next publish begins again. What the channel's current release consists of is known to be
there; everything else is written, also when an object of that name exists, so that its age starts anew
and a prune that runs beside this takes it for what it is.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import TypeVar

from gateway.errors import ManifestRefused, ObjectChanged, ObjectMissing, PublishRefused, ReleaseMissing
from gateway.objects import ObjectKey
from gateway.releases.documents import Index, Move
from gateway.releases.repository import HeldPointer, Repository
from gateway.releases.shards import Release, Shard
from gateway.releases.together import AT_ONCE, for_each
from gateway.skill.model import Digest, SkillFile, SkillPath, digest_of

T = TypeVar("T")

ReadFile = Callable[[SkillPath, str], Awaitable[bytes]]
"""Path of a skill and of a file in it to the bytes as they are now."""
Sign = Callable[[bytes], bytes]
"""The bytes of an index to the document with its signature."""

_JSON = "application/json"
_LARGE_BYTES = 256 * 1024
"""From this size on it is worth a question whether a blob is there already."""
_FRESH_S = 12 * 3600
"""A blob written no longer ago than this is safe from any prune while a publish runs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be published; `read` gives the contents of its files."""

    release: Release
    read: ReadFile


@dataclass(frozen=True, slots=True)
class Terms:
    """How it is published. `at`: as `Move.at`. `sign` is None when nothing is signed."""

    channel: str
    at: str
    message: str = ""
    labels: Mapping[str, str] | None = None
    sign: Sign | None = None
    force_unconditional: bool = False
    at_once: int = AT_ONCE


@dataclass(frozen=True, slots=True)
class Step:
    """One object that was written, of `total` in all; `kind` is `blob`, `shard`, `index`, `signature` or `channel`."""

    kind: str
    key: ObjectKey
    size: int
    total: int


@dataclass(frozen=True, slots=True)
class Published:
    """What came of it. `was_there` when the channel points at this very release already; it may be signed anew."""

    release: str
    pointer: HeldPointer
    was_there: bool
    blobs: int = 0
    shards: int = 0


async def publish(
    repository: Repository, plan: Plan, terms: Terms, told: Callable[[Step], object] = lambda step: None
) -> Published:
    """Publish a release and point the channel at it. `told` hears of each object written.

    Raises PublishRefused (a file changed meanwhile, the store ignores conditions), PublishConflict, and
    what the store raises; the channel then is as it was.
    """
    held = await repository.pointer(terms.channel)
    release = plan.release
    if held is not None and held.pointer.current.index == release.digest:
        if terms.sign is not None:
            await _Writer(repository, plan, told, 1).sign(terms.sign)
        return Published(release.id, held, was_there=True)
    if not terms.force_unconditional:
        await check_conditions(repository)
    known = await _known(repository, held, release)
    shards = [shard for shard in release.shards if shard.digest not in known.shards]
    blobs = _blobs(shards, known.blobs)
    writer = _Writer(repository, plan, told, len(blobs) + len(shards) + 2 + bool(terms.sign))
    await writer.blobs(blobs, terms.at_once)
    await writer.shards(shards, terms.at_once)
    await writer.index()
    if terms.sign is not None:
        await writer.sign(terms.sign)
    move = Move(release.id, release.digest, terms.at, "publish", terms.message, terms.labels or {})
    moved = await repository.move(terms.channel, held, move)
    await _keep_index(repository, writer)
    writer.say("channel", repository.layout.channel(terms.channel), 0)
    return Published(release.id, moved, was_there=False, blobs=len(blobs), shards=len(shards))


async def check_conditions(repository: Repository) -> None:
    """Write under conditions that do not hold. Raises PublishRefused when the store writes all the same."""
    store, key = repository.store, repository.layout.scratch(f"conditions-{token_hex(8)}")
    etag = await store.put(key, b"1", if_absent=True)
    try:
        for condition, write in (
            ("If-None-Match: *", lambda: store.put(key, b"2", if_absent=True)),
            ("If-Match", lambda: store.put(key, b"3", if_match=f"{etag[:-1]}x")),
        ):
            if not await _is_refused(write):
                raise PublishRefused(
                    f"the store wrote under {condition} though the condition did not hold, so two publishes at once "
                    "could undo each other; use a store with conditional writes, or --force-unconditional when "
                    "only one publish ever runs at a time"
                )
    finally:
        await store.delete(key)


async def _is_refused(write: Callable[[], Awaitable[str]]) -> bool:
    try:
        await write()
    except ObjectChanged:
        return True
    return False


@dataclass(frozen=True, slots=True)
class _Known:
    """Digests of what is surely there: the channel's current release is never pruned."""

    shards: frozenset[Digest]
    blobs: frozenset[Digest]


_NOTHING = _Known(frozenset(), frozenset())


async def _known(repository: Repository, held: HeldPointer | None, release: Release) -> _Known:
    if held is None:
        return _NOTHING
    try:
        index = await repository.index(held.pointer.current.release, held.pointer.current.index)
        return _Known(
            frozenset(row.digest for row in index.shards),
            frozenset([digest async for digest in _replaced(repository, index, release)]),
        )
    except (ManifestRefused, ReleaseMissing):
        return _NOTHING  # a release that is broken vouches for nothing


async def _replaced(repository: Repository, old: Index, release: Release) -> AsyncIterator[Digest]:
    """Digests of the files in those shards of the old release that the new one has no more."""
    kept = {shard.digest for shard in release.shards}
    for row in old.shards:
        if row.digest not in kept:
            for entry in await repository.shard(row):
                for file in entry.files or ():
                    yield file.digest


def _blobs(shards: Iterable[Shard], known: frozenset[Digest]) -> dict[Digest, tuple[SkillPath, SkillFile]]:
    """One place where each digest that is needed can be read."""
    return {
        file.digest: (entry.path, file)
        for shard in shards
        for entry in shard.entries
        for file in entry.files or ()
        if file.digest not in known
    }


async def _keep_index(repository: Repository, writer: "_Writer") -> None:
    """An old index of the same release may have been on its way out when it was written over."""
    try:
        await repository.store.head(writer.index_key)
    except ObjectMissing:
        await writer.index()


class _Writer:
    """Writes the objects of one publish."""

    def __init__(self, repository: Repository, plan: Plan, told: Callable[[Step], object], total: int) -> None:
        self._store, self._layout, self._plan = repository.store, repository.layout, plan
        self._told, self._total = told, total
        self.index_key = self._layout.index(plan.release.id)

    async def blobs(self, blobs: Mapping[Digest, tuple[SkillPath, SkillFile]], at_once: int) -> None:
        await for_each(_each(blobs.values()), lambda place: self._blob(*place), at_once)

    async def shards(self, shards: Iterable[Shard], at_once: int) -> None:
        await for_each(
            _each(shards), lambda shard: self.put("shard", self._layout.shard(shard.digest), shard.data), at_once
        )

    async def index(self) -> None:
        await self.put("index", self.index_key, self._plan.release.data)

    async def sign(self, sign: Sign) -> None:
        release = self._plan.release
        await self.put("signature", self._layout.signatures(release.id), sign(release.data))

    async def put(self, kind: str, key: ObjectKey, data: bytes, media_type: str = _JSON) -> None:
        await self._store.put(key, data, media_type=media_type)
        self.say(kind, key, len(data))

    def say(self, kind: str, key: ObjectKey, size: int) -> None:
        self._told(Step(kind, key, size, self._total))

    async def _blob(self, path: SkillPath, file: SkillFile) -> None:
        key = self._layout.blob(file.digest)
        if file.size >= _LARGE_BYTES and await self._is_fresh(key, file.size):
            self.say("blob", key, 0)
            return
        data = await self._plan.read(path, file.path)
        if digest_of(data) != file.digest:
            raise PublishRefused(f"{path}/{file.path} changed while it was published; run this again")
        await self.put("blob", key, data, "application/octet-stream")

    async def _is_fresh(self, key: ObjectKey, size: int) -> bool:
        try:
            head = await self._store.head(key)
        except ObjectMissing:
            return False
        return head.size == size and head.modified_at is not None and time.time() - head.modified_at < _FRESH_S


async def _each(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        yield item
