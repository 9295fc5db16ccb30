"""Writing a release to a folder.

All of it goes to a new folder beside the one asked for, and takes its name when everything is there and
right: what is found under the name is whole. A manifest is only as good as who wrote it, so each path is
looked at again before it becomes one of this machine.
"""

import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from gateway.errors import ManifestRefused, ObjectMissing, ReleaseError
from gateway.releases.documents import Index
from gateway.releases.repository import Repository
from gateway.releases.together import AT_ONCE, for_each
from gateway.skill.model import Digest, SkillEntry, SkillFile
from gateway.skill.uri import segment_fault


@dataclass(slots=True)
class Pulled:
    """What was written so far."""

    skills: int = 0
    files: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Wanted:
    path: Path
    file: SkillFile


async def pull(
    repository: Repository,
    index: Index,
    folder: Path,
    *,
    at_once: int = AT_ONCE,
    told: Callable[[Pulled], object] = lambda pulled: None,
) -> Pulled:
    """Write every file of a release under `folder`, which must be new or empty. `told` hears of each file.

    Raises ReleaseError when the folder is not, or cannot be written to; ManifestRefused for what is not what its
    digest says. The folder is then as it was.
    """
    target = free_folder(folder)
    beside = target.with_name(f".{target.name}.{token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside.mkdir()
        work = _Pull(repository, beside, told)
        await for_each(work.wanted(index), work.write, at_once)
        beside.replace(target)
    except OSError as error:
        raise ReleaseError(f"{error.filename or folder} cannot be written ({error.strerror})") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return work.pulled


def free_folder(folder: Path) -> Path:
    """The folder without links on the way. Raises ReleaseError unless it is new or empty."""
    if folder.exists() and not folder.is_dir():
        raise ReleaseError(f"{folder} is no folder; name one that is new or empty")
    if folder.is_dir() and any(folder.iterdir()):
        raise ReleaseError(f"{folder} is not empty; name a folder that is new or empty")
    return folder.resolve()


class _Pull:
    def __init__(self, repository: Repository, root: Path, told: Callable[[Pulled], object]) -> None:
        self._repository, self._root, self._told = repository, root, told
        self._written: dict[str, Digest] = {}
        self.pulled = Pulled()

    async def wanted(self, index: Index) -> AsyncIterator[_Wanted]:
        """Each file to write, in a folder that is there."""
        async for entry in self._repository.entries(index):
            self.pulled.skills += 1
            for directory in entry.directories:
                self._place(f"{entry.path}/{directory}").mkdir(parents=True, exist_ok=True)
            for wanted in self._files(entry):
                wanted.path.parent.mkdir(parents=True, exist_ok=True)
                yield wanted

    async def write(self, wanted: _Wanted) -> None:
        key = self._repository.layout.blob(wanted.file.digest)
        # A file system that knows no case, or another form of Unicode, may take two names for one: "x" refuses.
        with wanted.path.open("xb") as output:
            sink = _Sink(output, wanted.file)
            try:
                await self._repository.store.stream(key, sink)
            except ObjectMissing:
                raise ManifestRefused(f"the blob {key!r} is not there; look at the release with verify") from None
        if not sink.is_right:
            raise ManifestRefused(f"the blob {key!r} is not what its digest says; look at the release with verify")
        self.pulled.files += 1
        self.pulled.size_bytes += wanted.file.size
        self._told(self.pulled)

    def _files(self, entry: SkillEntry) -> list[_Wanted]:
        found: list[_Wanted] = []
        for file in entry.files or ():
            full = f"{entry.path}/{file.path}"
            known = self._written.get(full)
            if known is None:
                self._written[full] = file.digest
                found.append(_Wanted(self._place(full), file))
            elif known != file.digest:  # an enclosing skill lists the files of a nested one too
                raise ManifestRefused(f"the release has two digests for {full!r}")
        return found

    def _place(self, full: str) -> Path:
        segments = full.split("/")
        for segment in segments:
            if fault := segment_fault(segment):
                raise ManifestRefused(f"the release has a file {full!r} that {fault}")
        return self._root.joinpath(*segments)


class _Sink:
    """Takes the bytes of one file, and no more of them than it has."""

    def __init__(self, output: BinaryIO, file: SkillFile) -> None:
        self._output, self._file = output, file
        self._hash, self._size = sha256(), 0

    def __call__(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size <= self._file.size:
            self._hash.update(chunk)
            self._output.write(chunk)

    @property
    def is_right(self) -> bool:
        return self._size == self._file.size and f"sha256:{self._hash.hexdigest()}" == self._file.digest
