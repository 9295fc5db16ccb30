"""Which releases are kept, and which objects they need.

Fails closed: whoever removes what is not reachable must know all that is, so an index or a shard that cannot
be read is an error here, never a release with less in it.
"""

from collections.abc import AsyncIterator, Iterable, Mapping

from gateway.errors import ReleaseMissing
from gateway.objects import ObjectKey
from gateway.releases.documents import Index, Pointer, ShardRow
from gateway.releases.repository import HeldPointer, Repository
from gateway.releases.together import AT_ONCE, for_each
from gateway.skill.model import Digest

Pointers = Mapping[str, HeldPointer]
"""Every channel by its name, with the ETags of this moment."""


async def read_pointers(repository: Repository) -> Pointers:
    """All channels. Raises ManifestRefused for a pointer that cannot be read."""
    held = {channel: await repository.pointer(channel) for channel in await repository.channels()}
    return {channel: pointer for channel, pointer in held.items() if pointer is not None}


def latest_releases(pointer: Pointer, count: int) -> dict[str, Digest]:
    """The current release of a channel and those before it, `count` different ones at most, the newest first. Pure."""
    found: dict[str, Digest] = {}
    for move in pointer.moves:
        if len(found) < count:
            found.setdefault(move.release, move.index)
    return found


async def kept_releases(repository: Repository, pointers: Pointers, count: int) -> dict[str, Index]:
    """What any channel points at, and the last `count` releases of each, as far as no prune has taken them before.

    Raises ReleaseMissing when a channel points at a release that is not there, ManifestRefused.
    """
    kept: dict[str, Index] = {}
    for channel, held in pointers.items():
        for release, digest in latest_releases(held.pointer, max(count, 1)).items():
            if release in kept:
                continue
            try:
                kept[release] = await repository.index(release, digest)
            except ReleaseMissing as missing:
                if release == held.pointer.current.release:
                    raise ReleaseMissing(
                        f"channel {channel!r} points at release {release}, which is not there; roll it back first"
                    ) from missing
    return kept


async def needed_objects(repository: Repository, indexes: Iterable[Index], at_once: int = AT_ONCE) -> set[ObjectKey]:
    """Keys of every shard and blob of some releases. Raises ManifestRefused for a shard that cannot be read."""
    layout, needed = repository.layout, set[ObjectKey]()

    async def rows() -> AsyncIterator[ShardRow]:
        for row in (row for index in indexes for row in index.shards):
            if (key := layout.shard(row.digest)) not in needed:
                needed.add(key)
                yield row

    async def read(row: ShardRow) -> None:
        for entry in await repository.shard(row):
            needed.update(layout.blob(file.digest) for file in entry.files or ())

    await for_each(rows(), read, at_once)
    return needed
