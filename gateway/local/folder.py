"""A local folder as a read-only object store: what a bucket would hold if the folder were copied into it.

Keys are paths relative to the root. A symbolic link could lead out of the folder, so links and
special files are left out of listings, named in `skipped`, and never opened: each step to a file is
taken without following links. Files are read off the event loop.
"""

import asyncio
import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gateway.errors import AccessDenied, ObjectChanged, ObjectMissing, ObjectTooLarge, StoreError, StoreUnavailable
from gateway.local.paging import page_of
from gateway.local.scan import Scan, etag_of, scan_folder
from gateway.objects import MAX_LIST_KEYS, ByteRange, ListPage, ObjectHead, ObjectKey, ObjectSlice
from gateway.skill.model import Problem

_CHUNK_BYTES = 256 * 1024
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe must not block the open
_DIRECTORY = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


class FolderStore:
    """The folder `root`. ETags are made of size and time of change; there are no media types and no checksums.

    A first page scans the folder of its prefix, the pages after it use that scan.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._last: tuple[str, Scan] | None = None

    @property
    def skipped(self) -> list[Problem]:
        """What the last scan left out, and why."""
        return list(self._last[1].skipped) if self._last else []

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = MAX_LIST_KEYS, by_directory: bool = False
    ) -> ListPage:
        folder = prefix[: prefix.rfind("/") + 1]
        if token is None or self._last is None or self._last[0] != folder:
            self._last = (folder, await asyncio.to_thread(scan_folder, self._root, folder))
        found = self._last[1]
        return page_of(
            found.keys,
            found.objects.__getitem__,
            prefix=prefix,
            token=token,
            max_keys=max_keys,
            by_directory=by_directory,
        )

    async def head(self, key: ObjectKey) -> ObjectHead:
        return await asyncio.to_thread(self._read_head, key)

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        return await asyncio.to_thread(self._read_slice, key, span.start, span.stop, if_match)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        return await asyncio.to_thread(self._read_slice, key, 0, None, if_match, max_bytes)

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        start = 0
        while True:
            part = await self.get_range(key, ByteRange(start, start + _CHUNK_BYTES), if_match=if_match)
            if not part.data:
                return part.head
            sink(part.data)
            start += len(part.data)
            if_match = part.head.etag  # a file that changes half-way is no file to hash

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        raise StoreError(f"{str(self._root)!r} is read-only here; write the file {key!r} itself")

    async def delete(self, key: ObjectKey) -> None:
        raise StoreError(f"{str(self._root)!r} is read-only here; remove the file {key!r} itself")

    def _read_head(self, key: str) -> ObjectHead:
        with self._opened(key) as (_, head):
            return head

    def _read_slice(
        self, key: str, start: int, stop: int | None, if_match: str, max_bytes: int | None = None
    ) -> ObjectSlice:
        with self._opened(key) as (file, head):
            if if_match and head.etag != if_match:
                raise ObjectChanged(f"{key!r} has ETag {head.etag!r}, not {if_match!r}")
            if max_bytes is not None and head.size > max_bytes:
                raise ObjectTooLarge(f"{key!r} has {head.size} bytes, at most {max_bytes} are read")
            length = min(head.size if stop is None else stop, head.size) - start
            data = os.pread(file, length, start) if length > 0 else b""
            if etag_of(os.fstat(file)) != head.etag and head.size:
                raise ObjectChanged(f"{key!r} was written while it was read; read it again")
            return ObjectSlice(data, head)

    @contextmanager
    def _opened(self, key: str) -> Generator[tuple[int, ObjectHead]]:
        """The open file of `key`, or for a key that ends in `/` the open empty directory."""
        *folders, name = key.split("/")
        with ExitStack() as stack:
            try:
                opened = self._descend(stack, folders, name)
            except OSError as error:
                raise self._fault(error, key) from error
            status = os.fstat(opened)
            if name:
                is_object, size = stat.S_ISREG(status.st_mode), status.st_size
            else:
                is_object, size = bool(folders) and not os.listdir(opened), 0  # noqa: PTH208 - a descriptor
            if not is_object:
                raise ObjectMissing(f"{key!r} in {str(self._root)!r} is no regular file, nor an empty directory")
            yield opened, ObjectHead(size, etag_of(status), modified_at=status.st_mtime)

    def _descend(self, stack: ExitStack, folders: list[str], name: str) -> int:
        opened = _open(stack, str(self._root), _DIRECTORY, None)
        for folder in folders:
            opened = _open(stack, folder, _DIRECTORY, opened)
        return _open(stack, name, _FILE, opened) if name else opened

    def _fault(self, error: OSError, key: str) -> StoreError:
        what = f"{key!r} in {str(self._root)!r}"
        # ELOOP, and ENOTDIR for a directory, is a symbolic link: not an object here.
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG):
            return ObjectMissing(f"there is no file {what}")
        if isinstance(error, PermissionError):
            denied = AccessDenied(f"{what} may not be read; check its owner and mode")
            denied.key = key
            return denied
        return StoreUnavailable(f"{what} cannot be read ({error.strerror})")


def _open(stack: ExitStack, name: str, flags: int, directory: int | None) -> int:
    if directory is not None and (name in ("", ".", "..") or "\0" in name):
        raise FileNotFoundError(errno.ENOENT, "no such segment in a key")
    opened = os.open(name, flags, dir_fd=directory)
    stack.callback(os.close, opened)
    return opened
