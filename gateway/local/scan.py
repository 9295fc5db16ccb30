"""One look over a folder: the keys its files would have in a bucket, and what has none.

An empty directory has the key that marks one on S3: zero bytes, `/` at its end.
"""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from gateway.errors import BucketMissing
from gateway.local.paging import byte_order
from gateway.objects import ListedObject, ObjectKey
from gateway.skill.model import Problem


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found under a folder: its keys in byte order, each one's object, and what has no key."""

    keys: tuple[str, ...]
    objects: dict[str, ListedObject]
    skipped: tuple[Problem, ...]


def scan_folder(root: Path, folder: str) -> Scan:
    """Look over `folder`, a prefix under `root`; a folder that is not there has nothing in it.

    Blocks. Raises BucketMissing when `root` itself is no directory.
    """
    if not root.is_dir():
        raise BucketMissing(f"{str(root)!r} is no directory; create it, or correct the path")
    walk = _Walk(root)
    if walk.is_plain_folder(folder):
        walk.visit(folder)
    return Scan(tuple(sorted(walk.objects, key=byte_order)), walk.objects, tuple(walk.skipped))


def etag_of(status: os.stat_result) -> str:
    """An ETag that changes when the file is written."""
    return f"{status.st_size:x}-{status.st_mtime_ns:x}"


@dataclass(slots=True)
class _Walk:
    root: Path
    objects: dict[str, ListedObject] = field(default_factory=dict[str, ListedObject])
    skipped: list[Problem] = field(default_factory=list[Problem])

    def is_plain_folder(self, folder: str) -> bool:
        """Whether every step to `folder` is a real directory, none a link or a way out."""
        path = self.root
        for segment in folder.split("/")[:-1]:
            path = path / segment
            if segment in ("", ".", "..") or "\0" in segment or path.is_symlink() or not path.is_dir():
                return False
        return True

    def visit(self, folder: str) -> None:
        pending = [folder]
        while pending:
            pending.extend(self._read(pending.pop()))

    def _read(self, folder: str) -> list[str]:
        try:
            with os.scandir(self.root / folder) as found:
                entries = list(found)
        except OSError as error:
            self._skip(folder, "unreadable", f"the directory cannot be read ({error.strerror})")
            return []
        if not entries and folder:
            self._add(folder, (self.root / folder).stat(), 0)
        return [child for entry in entries if (child := self._sort_out(folder + entry.name, entry))]

    def _sort_out(self, key: str, entry: "os.DirEntry[str]") -> str | None:
        """File the entry; a directory is returned, to be read in its turn."""
        if not _is_utf8(entry.name):
            self._skip(key, "name_not_utf8", "the name is no UTF-8, so no key can have it")
            return None
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            return key + "/"
        if stat.S_ISREG(status.st_mode):
            self._add(key, status, status.st_size)
        elif stat.S_ISLNK(status.st_mode):
            self._skip(key, "symlink", "a symbolic link is not followed; put the file itself here")
        else:
            self._skip(key, "special_file", "neither a file nor a directory")
        return None

    def _add(self, key: str, status: os.stat_result, size: int) -> None:
        self.objects[key] = ListedObject(ObjectKey(key), size, etag_of(status))

    def _skip(self, key: str, code: str, detail: str) -> None:
        self.skipped.append(Problem(key.encode("utf-8", "backslashreplace").decode(), code, detail))


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)
