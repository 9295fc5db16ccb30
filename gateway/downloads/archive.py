"""The bytes of a ZIP archive of stored files: a function of names, sizes and CRCs, and of nothing else. Pure.

Written here, and not by a library, because the bytes are promised: their digest is published, and every
replica must give the same ones whatever Python and zlib it runs on. Nothing is compressed, so that the length is
known beforehand; each file is whole in memory when its header is written, so that the header has its CRC and no data
descriptor follows, which some readers of streams refuse for stored files.
Source: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

_MAX_16, _MAX_32 = 0xFFFF, 0xFFFFFFFF
_UNIX = 3 << 8
_PLAIN, _ZIP64 = 20, 45
"""Versions of the specification that a reader needs."""
_UTF8_NAMES = 1 << 11
_STORED = 0
_TIME, _DATE = 0, 1 << 5 | 1
"""1980-01-01 00:00:00, the first moment there is."""
_MODE = 0o100644 << 16
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_END = struct.Struct("<4s4H2LH")
_EXTRA_ID = 1


@dataclass(frozen=True, slots=True)
class Member:
    """A file: its name in UTF-8 and its size in bytes."""

    name: bytes
    size: int

    @property
    def head_bytes(self) -> int:
        return _LOCAL.size + len(self.name) + (20 if self.size >= _MAX_32 else 0)


@dataclass(frozen=True)
class Archive:
    """An archive of members in their order. Begins with a head, the bytes of its file behind each; ends with a tail."""

    members: tuple[Member, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where each member's head begins, and the central directory behind the last."""
        return tuple(accumulate((one.head_bytes + one.size for one in self.members), initial=0))

    @cached_property
    def size_bytes(self) -> int:
        rows = zip(self.members, self.offsets, strict=False)
        directory_bytes = sum(_CENTRAL.size + len(one.name) + len(_central_extra(one, at)) for one, at in rows)
        return self.offsets[-1] + directory_bytes + len(self._end(directory_bytes))

    def head(self, number: int, crc: int) -> bytes:
        """What stands before the bytes of a member, whose CRC-32 it is."""
        one = self.members[number]
        extra = _extra(one.size, one.size) if one.size >= _MAX_32 else b""
        size = min(one.size, _MAX_32)
        version = _ZIP64 if extra else _PLAIN
        fields = (version, _UTF8_NAMES, _STORED, _TIME, _DATE, crc, size, size, len(one.name), len(extra))
        return _LOCAL.pack(b"PK\3\4", *fields) + one.name + extra

    def tail(self, crcs: Sequence[int]) -> bytes:
        """The central directory and what ends the archive; a CRC for each member, in order."""
        rows = zip(self.members, crcs, self.offsets[:-1], strict=True)
        directory = b"".join(_central(one, crc, offset) for one, crc, offset in rows)
        return directory + self._end(len(directory))

    def _end(self, directory_bytes: int) -> bytes:
        count, offset = len(self.members), self.offsets[-1]
        end = (0, 0, min(count, _MAX_16), min(count, _MAX_16), min(directory_bytes, _MAX_32), min(offset, _MAX_32), 0)
        record = b""
        if count >= _MAX_16 or max(directory_bytes, offset) >= _MAX_32:
            long_end = (_END_64.size - 12, _UNIX | _ZIP64, _ZIP64, 0, 0, count, count, directory_bytes, offset)
            record = _END_64.pack(b"PK\6\6", *long_end)
            record += _LOCATOR_64.pack(b"PK\6\7", 0, offset + directory_bytes, 1)
        return record + _END.pack(b"PK\5\6", *end)


def _central(one: Member, crc: int, offset: int) -> bytes:
    extra = _central_extra(one, offset)
    size, version = min(one.size, _MAX_32), _ZIP64 if extra else _PLAIN
    kind = (_UNIX | version, version, _UTF8_NAMES, _STORED, _TIME, _DATE)
    rest = (crc, size, size, len(one.name), len(extra), 0, 0, 0, _MODE, min(offset, _MAX_32))
    return _CENTRAL.pack(b"PK\1\2", *kind, *rest) + one.name + extra


def _central_extra(one: Member, offset: int) -> bytes:
    """What has no room in 32 bits, in the order of the fields that lack it."""
    sizes = (one.size, one.size) if one.size >= _MAX_32 else ()
    offsets = (offset,) if offset >= _MAX_32 else ()
    return _extra(*sizes, *offsets)


def _extra(*values: int) -> bytes:
    return struct.pack(f"<2H{len(values)}Q", _EXTRA_ID, 8 * len(values), *values) if values else b""
