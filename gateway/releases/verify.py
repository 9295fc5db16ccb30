"""Whether all that a release consists of is there, byte for byte.

Shards are read whole. Of blobs the bytes are hashed, or, where that is good enough, the SHA-256 that the
store itself keeps of them is believed. Trouble with the store is raised; only what is wrong is a finding.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from gateway.errors import ManifestRefused, ObjectMissing
from gateway.objects import ObjectKey
from gateway.releases.documents import Index, ShardRow
from gateway.releases.repository import Repository
from gateway.releases.together import AT_ONCE, for_each
from gateway.skill.model import Digest, SkillFile


@dataclass(frozen=True, slots=True)
class WrongObject:
    """An object that is missing, or not what its digest says."""

    key: ObjectKey
    detail: str


@dataclass(slots=True)
class Report:
    """What was looked at so far: how many shards and blobs, the bytes of the blobs, and all that was wrong."""

    shards: int = 0
    blobs: int = 0
    size_bytes: int = 0
    wrong: list[WrongObject] = field(default_factory=list[WrongObject])


async def verify(
    repository: Repository,
    indexes: Iterable[Index],
    *,
    is_quick: bool = False,
    at_once: int = AT_ONCE,
    told: Callable[[Report], object] = lambda report: None,
) -> Report:
    """Look at every shard and blob of some releases, each once. `told` hears of each object looked at.

    `is_quick`: the store's own checksum is enough, where it keeps one of the whole object.
    """
    look = _Look(repository, is_quick, told)
    await for_each(look.files(indexes), look.blob, at_once)
    look.report.wrong.sort(key=lambda wrong: wrong.key)
    return look.report


class _Look:
    def __init__(self, repository: Repository, is_quick: bool, told: Callable[[Report], object]) -> None:
        self._repository, self._is_quick, self._told = repository, is_quick, told
        self._seen: set[Digest] = set()
        self.report = Report()

    async def files(self, indexes: Iterable[Index]) -> AsyncIterator[SkillFile]:
        """A file for each distinct blob, as far as the shards can be read."""
        for row in (row for index in indexes for row in index.shards):
            if row.digest in self._seen:
                continue
            self._seen.add(row.digest)
            for file in await self._shard(row):
                if file.digest not in self._seen:
                    self._seen.add(file.digest)
                    yield file

    async def blob(self, file: SkillFile) -> None:
        key = self._repository.layout.blob(file.digest)
        try:
            size, digest = await self._measure(key)
        except ObjectMissing:
            self._wrong(key, "is not there")
        else:
            if digest != file.digest:
                self._wrong(key, f"holds {size} bytes with the digest {digest}")
            elif size != file.size:
                self._wrong(key, f"holds {size} bytes, and a manifest says {file.size}")
            self.report.size_bytes += size
        self.report.blobs += 1
        self._told(self.report)

    async def _shard(self, row: ShardRow) -> list[SkillFile]:
        files: list[SkillFile] = []
        try:
            entries = await self._repository.shard(row)
        except ManifestRefused as refused:
            self._wrong(self._repository.layout.shard(row.digest), str(refused))
        else:
            files = [file for entry in entries for file in entry.files or ()]
        self.report.shards += 1
        self._told(self.report)
        return files

    async def _measure(self, key: ObjectKey) -> tuple[int, Digest]:
        if self._is_quick:
            head = await self._repository.store.head(key)
            if head.sha256 is not None:
                return head.size, head.sha256
        state = sha256()
        head = await self._repository.store.stream(key, state.update)
        return head.size, Digest(f"sha256:{state.hexdigest()}")

    def _wrong(self, key: ObjectKey, detail: str) -> None:
        self.report.wrong.append(WrongObject(key, detail))
