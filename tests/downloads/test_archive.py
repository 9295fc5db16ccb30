"""The format: sizes and offsets past 32 bits, and numbers past 16. Pure."""

import io
import zipfile
from pathlib import Path
from zlib import crc32

from gateway.downloads.archive import Archive, Member

GIB = 1024**3


def test_more_files_than_16_bits_count_are_read_back() -> None:
    """[APPNOTE 4.3.14] And the length is as was said."""
    archive = Archive(tuple(Member(b"f%d" % number, 1) for number in range(65_535)))
    heads = b"".join(archive.head(number, crc32(b"x")) + b"x" for number in range(65_535))
    data = heads + archive.tail([crc32(b"x")] * 65_535)
    assert len(data) == archive.size_bytes
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert (len(read.namelist()), read.read("f65534")) == (65_535, b"x")


def test_sizes_and_offsets_past_32_bits_are_read_back(tmp_path: Path) -> None:
    """[APPNOTE 4.5.3] In a file with holes, so that nobody writes 9 GiB."""
    sizes = (1, 5 * GIB, 4 * GIB - 1, 3)
    archive = Archive(tuple(Member(b"f%d" % number, size) for number, size in enumerate(sizes)))
    with (tmp_path / "a.zip").open("wb") as file:
        for number, offset in enumerate(archive.offsets[:-1]):
            file.seek(offset)
            file.write(archive.head(number, crc32(b"\0\0\0")))
        file.seek(archive.offsets[-1])
        file.write(archive.tail([crc32(b"\0\0\0")] * 4))
        assert file.tell() == archive.size_bytes
    with zipfile.ZipFile(tmp_path / "a.zip") as read:
        assert [(one.file_size, one.header_offset) for one in read.infolist()] == [
            *zip(sizes, archive.offsets, strict=False)
        ]
        assert read.read("f3") == b"\0\0\0"
