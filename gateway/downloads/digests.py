"""Digests of archives, which only all of their bytes tell: found once, and kept by what the bytes follow from.

They are kept for all variants and callers: a key holds the digests of all files, and says nothing else.
"""

from hashlib import sha256

from cachetools import LRUCache

from gateway.downloads.package import Package
from gateway.downloads.reading import Read, pieces_of
from gateway.skill.model import Digest

MAX_KEPT = 20_000
"""Twice what an index may list; some 10 MiB."""


class Digests:
    """The digests of one process."""

    def __init__(self) -> None:
        self._known = LRUCache[str, Digest](MAX_KEPT)

    async def of(self, package: Package, read: Read) -> Digest:
        """Reads every file of a package that is not known. Raises what reading raises."""
        if (known := self._known.get(package.key)) is not None:
            return known
        found = sha256()
        async for piece in pieces_of(package, read):
            found.update(piece)
        return self.learn(package.key, Digest("sha256:" + found.hexdigest()))

    def learn(self, key: str, digest: Digest) -> Digest:
        """For who has seen all bytes of an archive anyway."""
        self._known[key] = digest
        return digest
