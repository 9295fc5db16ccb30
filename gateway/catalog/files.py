"""Port: where a catalogue finds its files; and the three given ones.

Narrower than an object store on purpose: list one directory, read one file. A source of your own
needs these two methods and nothing else. Paths are relative, decoded, `/` between segments, empty for
the root; names that begin with a dot are skipped by the catalogue, not by the source.
"""

import asyncio
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from gateway.errors import ObjectMissing, StoreMisbehaved
from gateway.objects import ObjectKey, ObjectStore


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One name in a directory.

    `size` in bytes and `version` are for files: the version is a text that differs whenever the bytes
    may differ, and empty when the source cannot tell, so that the file is read at every reload.
    `fault` says why it must not be served ("is a symbolic link"); the skill around it is refused then.
    """

    name: str
    is_directory: bool = False
    size: int = 0
    version: str = ""
    fault: str = ""


class SkillFiles(Protocol):
    """A tree of files. Both methods raise GatewayError or OSError when they cannot answer."""

    async def list_directory(self, path: str) -> Sequence[FoundFile]:
        """Every name in a directory, in any order, each once; empty for an empty or missing one."""
        ...

    async def read(self, path: str) -> bytes:
        """The whole file."""
        ...


@runtime_checkable
class WholeTree(Protocol):
    """A source that can list all of its directories at once, for less than one by one."""

    async def list_tree(self) -> Mapping[str, Sequence[FoundFile]]:
        """What `list_directory` gives, for every directory but hidden ones, by its path."""
        ...


class MemoryFiles:
    """Files given as a mapping of paths to bytes; a path that ends in `/` is an empty directory.

    The mapping is looked at anew by every call, so changing it and reloading shows the change.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    async def list_directory(self, path: str) -> Sequence[FoundFile]:
        head = f"{path}/" if path else ""
        found: dict[str, FoundFile] = {}
        for key, data in self._files.items():
            if key.startswith(head) and (rest := key[len(head) :]):
                name, slash, _ = rest.partition("/")
                found[name] = FoundFile(name, is_directory=True) if slash else FoundFile(name, size=len(data))
        return tuple(found.values())

    async def read(self, path: str) -> bytes:
        try:
            return self._files[path]
        except KeyError:
            raise ObjectMissing(f"there is no file {path!r} in memory") from None


class FolderFiles:
    """Files of a local folder. Symbolic links and special files are faults, and are never followed."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = Path(root)

    async def list_directory(self, path: str) -> Sequence[FoundFile]:
        return await asyncio.to_thread(self._scan, path)

    async def list_tree(self) -> Mapping[str, Sequence[FoundFile]]:
        # One trip to a thread for all: for thousands of directories the trips would cost most.
        return await asyncio.to_thread(self._scan_all)

    async def read(self, path: str) -> bytes:
        return await asyncio.to_thread(self._read, path)

    def _scan(self, path: str) -> list[FoundFile]:
        with os.scandir(self._root / path) as names:
            return [_found(name) for name in names]

    def _scan_all(self) -> dict[str, list[FoundFile]]:
        tree: dict[str, list[FoundFile]] = {}
        waiting = [""]
        while waiting:
            path = waiting.pop()
            tree[path] = names = self._scan(path)
            head = f"{path}/" if path else ""
            waiting += [head + found.name for found in names if found.is_directory and found.name[0] != "."]
        return tree

    def _read(self, path: str) -> bytes:
        # O_NOFOLLOW: the name may have become a link since it was listed.
        descriptor = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return file.read()


class StoreFiles:
    """Files of an object store below a prefix, through the port."""

    def __init__(self, store: ObjectStore, prefix: str = "") -> None:
        """`prefix` is empty or ends in `/`; ValueError otherwise. Largest file read: `MAX_READ_BYTES`."""
        if prefix and not prefix.endswith("/"):
            raise ValueError(f"prefix {prefix!r} must end in '/'")
        self._store, self._prefix = store, prefix

    async def list_directory(self, path: str) -> Sequence[FoundFile]:
        prefix = f"{self._prefix}{path}/" if path else self._prefix
        found: dict[str, FoundFile] = {}
        tokens: set[str] = set()
        token: str | None = None
        while True:
            page = await self._store.list_page(prefix, token=token, by_directory=True)
            for folded in page.prefixes:
                name = folded[len(prefix) : -1]
                found[name] = FoundFile(name, is_directory=True)
            for listed in page.objects:
                name = listed.key[len(prefix) :]
                if name and not name.endswith("/"):
                    found[name] = FoundFile(name, size=listed.size, version=listed.etag)
            token = page.next_token
            if token is None:
                return tuple(found.values())
            if token in tokens:
                raise StoreMisbehaved(f"listing {prefix!r}: the store gave the same continuation token twice")
            tokens.add(token)

    async def read(self, path: str) -> bytes:
        found = await self._store.get(ObjectKey(self._prefix + path), max_bytes=MAX_READ_BYTES)
        return found.data


MAX_READ_BYTES = 64 * 1024 * 1024
"""Largest object that a catalogue reads."""


def _found(entry: "os.DirEntry[str]") -> FoundFile:
    name = entry.name
    if entry.is_symlink():
        return FoundFile(name, fault="is a symbolic link, which is not followed")
    if entry.is_dir(follow_symlinks=False):
        return FoundFile(name, is_directory=True)
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return FoundFile(name, fault="is neither a file nor a directory")
    version = f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}"
    return FoundFile(name, size=status.st_size, version=version)
