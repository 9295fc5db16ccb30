"""Releases whose index was read and verified: which shard holds a path, without asking anybody.

A release never changes, so what was opened stays good for ever; the least recently used ones are
forgotten. Entries stay in the store until somebody asks for them.
"""

import time
from bisect import bisect_right
from collections.abc import Awaitable, Callable

from gateway.errors import ManifestRefused
from gateway.memory.flights import Flights
from gateway.memory.shelves import Shelf, new_memory
from gateway.releases.documents import Index, load_index
from gateway.releases.layout import release_id_of
from gateway.releases.repository import Repository
from gateway.skill.model import Digest, digest_of

Verify = Callable[[str, bytes], Awaitable[str | None]]
"""Release id and the bytes of its index; raises SignatureRefused when it must not be served.

Tells the id of the key whose signature it is; None when no signature was asked for."""

INDEX_CACHE_BYTES = 2 * 1024 * 1024
_ROW_BYTES = 300
"""A row of an index, about: two texts, a number, and their places."""


class OpenRelease:
    """One release, by the digest of its index. `signer` is the id of the key whose signature was verified."""

    __slots__ = ("_firsts", "digest", "index", "signer")

    def __init__(self, digest: Digest, index: Index, signer: str | None = None) -> None:
        self.digest, self.index, self.signer = digest, index, signer
        self._firsts = [row.first for row in index.shards]

    @property
    def id(self) -> str:
        return release_id_of(self.digest)

    def row_of(self, path: str) -> int | None:
        """Number of the one shard that may hold a path; None when none does."""
        found = bisect_right(self._firsts, path) - 1
        return None if found < 0 else found


NOTHING = OpenRelease(digest_of(b""), Index((), 0, 0, 0))
"""What is served where nothing was published."""


async def trust_everything(release: str, index: bytes) -> None:
    """Verifies nothing: for who may write to the bucket is trusted."""


class Indexes:
    """Indexes of one repository, each verified before anybody sees it."""

    def __init__(
        self,
        repository: Repository,
        *,
        verify: Verify = trust_everything,
        limit_bytes: int = INDEX_CACHE_BYTES,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.repository, self._verify = repository, verify
        self.memory = new_memory(limit_bytes)
        self._kept: Shelf[Digest, OpenRelease] = Shelf(self.memory, "index", _weight)
        self._flights: Flights[str, OpenRelease] = Flights(now)

    async def open(self, release: str, digest: Digest) -> OpenRelease:
        """A release by id and digest. Raises ReleaseMissing, ManifestRefused, SignatureRefused."""
        if (kept := self._kept.find(digest)) is not None:
            return kept.value
        opened = await self._flights.join(release, lambda: self._read(release))
        if opened.digest != digest:
            raise ManifestRefused(f"the index of release {release!r} has the digest {opened.digest}, needs {digest}")
        return opened

    async def find(self, release: str) -> OpenRelease:
        """A release by its id alone. Errors as of `open`."""
        return await self._flights.join(release, lambda: self._read(release))

    async def _read(self, release: str) -> OpenRelease:
        data = await self.repository.index_bytes(release)
        digest = digest_of(data)
        if release_id_of(digest) != release:
            raise ManifestRefused(f"the index of release {release!r} has the digest {digest}, which begins otherwise")
        signer = await self._verify(release, data)
        opened = OpenRelease(digest, load_index(data, digest), signer)
        self._kept.put(digest, opened)
        return opened


def _weight(opened: OpenRelease) -> int:
    return sum(_ROW_BYTES + len(row.first) for row in opened.index.shards)
