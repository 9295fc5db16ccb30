"""Where lines go: the standard output, or a file that is set aside when it has grown.

Several workers write to one file: each holds its lock while it writes, and looks whether it is still the
one of that name. So nobody writes to a file that another set aside, no two lines mix, and a tool that
renames the file from outside does no harm. Source: POSIX write, rename; flock(2), which frees the lock of who dies.
"""

import fcntl
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from gateway.errors import SettingsError

_STDOUT = 1
_PIPE_BYTES = 4096
"""So much of one write to a pipe is never mixed with that of another process (PIPE_BUF of Linux)."""
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
_MODE = 0o640


class Sink(Protocol):
    """Takes whole lines. `write` raises OSError, and then none of them counts as written."""

    def write(self, lines: Sequence[bytes]) -> None: ...

    def close(self) -> None: ...


class StreamSink:
    """An open file descriptor that is nobody's to close, the standard output unless told otherwise."""

    def __init__(self, descriptor: int = _STDOUT) -> None:
        self._descriptor = descriptor

    def write(self, lines: Sequence[bytes]) -> None:
        part = b""
        for line in lines:
            if part and len(part) + len(line) > _PIPE_BYTES:
                _write_all(self._descriptor, part)
                part = b""
            part += line
        _write_all(self._descriptor, part)

    def close(self) -> None:
        """Leaves it open."""


class FileSink:
    """A file, and beside it those before it, the newest with `.1` behind its name and the oldest with `.<keep>`."""

    def __init__(self, path: str, max_bytes: int, keep: int) -> None:
        """`max_bytes` of 0 never sets it aside; `keep` is at least 1. Raises SettingsError when it cannot be opened."""
        self._max_bytes, self._keep = max_bytes, keep
        try:
            self._path = Path(path).resolve()
            self._descriptor = self._opened()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise SettingsError(
                f"GATEWAY_AUDIT is {path!r}, which cannot be written: {why}; "
                "name a file in a folder that this user may write to, or - for the standard output"
            ) from error

    def write(self, lines: Sequence[bytes]) -> None:
        data = b"".join(lines)
        try:
            self._lock()
            while self._is_full_for(data):  # the new one too, when others were faster
                self._set_aside()
                self._lock()
            self._append(data)
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._descriptor)

    def _is_full_for(self, data: bytes) -> bool:
        size_bytes = os.fstat(self._descriptor).st_size
        return bool(self._max_bytes and size_bytes) and size_bytes + len(data) > self._max_bytes

    def _append(self, data: bytes) -> None:
        size_bytes = os.fstat(self._descriptor).st_size
        # Whoever was killed while it wrote left half a line, which must not become half of ours.
        is_cut = size_bytes > 0 and os.pread(self._descriptor, 1, size_bytes - 1) != b"\n"
        try:
            _write_all(self._descriptor, b"\n" + data if is_cut else data)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, size_bytes)
            raise

    def _lock(self) -> None:
        """Hold the lock of the file that has the name now."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        while not self._is_current():
            before, self._descriptor = self._descriptor, self._opened()
            os.close(before)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def _set_aside(self) -> None:
        for number in range(self._keep - 1, 0, -1):
            with suppress(FileNotFoundError):
                self._before(number).replace(self._before(number + 1))
        self._path.replace(self._before(1))

    def _before(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    def _opened(self) -> int:
        descriptor = os.open(self._path, _FLAGS, _MODE)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(0, "it is no regular file")
        return descriptor


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
