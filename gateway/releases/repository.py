"""A releases prefix of one store: its documents read and verified, its channels moved under a condition."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from gateway.errors import ManifestRefused, ObjectChanged, ObjectMissing, PublishConflict, ReleaseMissing
from gateway.objects import ObjectKey, ObjectStore
from gateway.releases.documents import (
    Index,
    Move,
    Pointer,
    ShardRow,
    dump_pointer,
    load_index,
    load_pointer,
    load_shard,
)
from gateway.releases.layout import CHANNEL, RELEASE_ID, Layout, is_channel
from gateway.skill.model import Digest, SkillEntry, digest_of

MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
"""An index or a shard that is larger was not written by a publish."""
_JSON = "application/json"
_STEPS_BACK = re.compile(rf"(?P<channel>{CHANNEL.pattern})~(?P<steps>[0-9]{{1,4}})")


@dataclass(frozen=True, slots=True)
class HeldPointer:
    """A pointer as it was read, and the ETag under which it may be moved."""

    pointer: Pointer
    etag: str


class Repository:
    """Releases and channels under one prefix, which is empty or ends in `/`.

    Every method raises what the store raises. ManifestRefused is for what is there and is not right.
    """

    def __init__(self, store: ObjectStore, prefix: str) -> None:
        self.store, self.layout = store, Layout(prefix)

    async def pointer(self, channel: str) -> HeldPointer | None:
        """Where a channel points; None when there is no such channel."""
        try:
            found = await self.store.get(self.layout.channel(channel), max_bytes=MAX_DOCUMENT_BYTES)
        except ObjectMissing:
            return None
        return HeldPointer(load_pointer(found.data, channel), found.head.etag)

    async def channels(self) -> list[str]:
        """Names of all channels, sorted."""
        prefix, found = self.layout.channels, list[str]()
        async for key in self.keys(prefix):
            name = key.removeprefix(prefix).removesuffix(".json")
            if key.endswith(".json") and is_channel(name):
                found.append(name)
        return sorted(found)

    async def channels_in_words(self) -> str:
        """What there is instead of a channel that was looked for in vain."""
        if names := await self.channels():
            return f"the channels are: {', '.join(names)}"
        return f"there is none under {self.layout.channels!r}; publish, or correct the prefix"

    async def index(self, release: str, digest: Digest) -> Index:
        """The index of a release, verified. Raises ReleaseMissing."""
        return load_index(await self.index_bytes(release), digest)

    async def index_bytes(self, release: str) -> bytes:
        """The bytes of an index as they are. Raises ReleaseMissing."""
        try:
            return await self._document(self.layout.index(release))
        except ObjectMissing:
            raise ReleaseMissing(f"there is no release {release!r} under {self.layout.releases!r}") from None

    async def index_of(self, release: str) -> tuple[Index, Digest]:
        """The index of a release that is known by its id alone, and its digest. Raises ReleaseMissing."""
        data = await self.index_bytes(release)
        digest = digest_of(data)
        if not digest.removeprefix("sha256:").startswith(release):
            raise ManifestRefused(f"the index of release {release!r} has the digest {digest}, which begins otherwise")
        return load_index(data, digest), digest

    async def shard(self, row: ShardRow) -> tuple[SkillEntry, ...]:
        """The entries of a shard, verified."""
        try:
            return load_shard(await self._document(self.layout.shard(row.digest)), row.digest)
        except ObjectMissing:
            raise ManifestRefused(f"the shard {row.digest} of a release is not there") from None

    async def entries(self, index: Index) -> AsyncIterator[SkillEntry]:
        """All entries of a release, in the order of their paths, one shard at a time."""
        for row in index.shards:
            for entry in await self.shard(row):
                yield entry

    async def find(self, name: str) -> tuple[str, Digest]:
        """Id and index digest of what a name says: a release id, a channel, or `channel~N`, N moves back.

        Raises ReleaseMissing that says what was looked for.
        """
        if RELEASE_ID.fullmatch(name):
            return name, (await self.index_of(name))[1]
        back = _STEPS_BACK.fullmatch(name)
        channel, steps = (back["channel"], int(back["steps"])) if back else (name, 0)
        held = await self.pointer(channel) if is_channel(channel) else None
        if held is None:
            there = await self.channels_in_words()
            raise ReleaseMissing(f"{name!r} is neither a release (20 hexadecimal digits) nor a channel here; {there}")
        if steps >= len(held.pointer.moves):
            raise ReleaseMissing(f"{name!r}: channel {channel!r} has only {len(held.pointer.moves)} moves on record")
        move = held.pointer.moves[steps]
        return move.release, move.index

    async def move(self, channel: str, held: HeldPointer | None, move: Move) -> HeldPointer:
        """Point a channel elsewhere; `held` is how it was read, None when it is to be new.

        Raises PublishConflict when it is no longer like that.
        """
        pointer = Pointer((move,)) if held is None else held.pointer.moved(move)
        data, key = dump_pointer(pointer), self.layout.channel(channel)
        try:
            if held is None:
                etag = await self.store.put(key, data, media_type=_JSON, if_absent=True)
            else:
                etag = await self.store.put(key, data, media_type=_JSON, if_match=held.etag)
        except ObjectChanged:
            # The answer to a write that took place may have been lost, and its repetition refused.
            now = await self.pointer(channel)
            if now is not None and now.pointer == pointer:
                return now
            raise PublishConflict(
                f"channel {channel!r} was moved by somebody else meanwhile; look at it and run this again"
            ) from None
        return HeldPointer(pointer, etag)

    async def keys(self, prefix: str) -> AsyncIterator[ObjectKey]:
        """Every key under a prefix."""
        token: str | None = None
        while True:
            page = await self.store.list_page(prefix, token=token)
            for listed in page.objects:
                yield listed.key
            if (token := page.next_token) is None:
                return
            await asyncio.sleep(0)

    async def _document(self, key: ObjectKey) -> bytes:
        return (await self.store.get(key, max_bytes=MAX_DOCUMENT_BYTES)).data
