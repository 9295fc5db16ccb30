"""A local folder as an object store."""

import os
from pathlib import Path

import pytest

from gateway.errors import (
    AccessDenied,
    BucketMissing,
    ObjectChanged,
    ObjectMissing,
    ObjectTooLarge,
    StoreError,
)
from gateway.local.folder import FolderStore
from gateway.objects import ByteRange, ListPage, ObjectKey


def write(path: Path, data: bytes = b"") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def keys(page: ListPage) -> list[str]:
    return [item.key for item in page.objects]


async def test_files_are_listed_in_byte_order_and_pages_go_on(tmp_path: Path) -> None:
    """[S3 ListObjectsV2]"""
    for name in ("a/x", "a/y/z", "a-b", "é", "~"):
        write(tmp_path / name, name.encode())
    store = FolderStore(tmp_path)
    assert keys(await store.list_page("")) == ["a-b", "a/x", "a/y/z", "~", "é"]
    assert keys(await store.list_page("a/y")) == ["a/y/z"]
    first = await store.list_page("", max_keys=2, by_directory=True)
    rest = await store.list_page("", token=first.next_token, by_directory=True)
    assert (keys(first), first.prefixes) == (["a-b"], ("a/",))
    assert (keys(rest), rest.prefixes, rest.next_token) == (["~", "é"], (), None)


async def test_a_file_is_read_in_every_way(tmp_path: Path) -> None:
    """[ours]"""
    data = bytes(range(256)) * 3000
    write(tmp_path / "a/b", data)
    store, key, streamed = FolderStore(tmp_path), ObjectKey("a/b"), bytearray()
    head = await store.head(key)
    assert (head.size, head.media_type, head.sha256) == (len(data), None, None)
    assert (await store.list_page("")).objects[0].etag == head.etag
    assert (await store.get(key, max_bytes=len(data), if_match=head.etag)).data == data
    assert (await store.get_range(key, ByteRange(5, 9))).data == data[5:9]
    assert (await store.get_range(key, ByteRange(len(data) - 1, len(data) + 9))).data == data[-1:]
    assert (await store.get_range(key, ByteRange(len(data), len(data) + 1))).data == b""
    assert await store.stream(key, streamed.extend) == head
    assert streamed == data
    with pytest.raises(ObjectTooLarge):
        await store.get(key, max_bytes=len(data) - 1)


async def test_a_file_that_was_written_has_another_etag(tmp_path: Path) -> None:
    """[ours]"""
    write(tmp_path / "a", b"old")
    store, key = FolderStore(tmp_path), ObjectKey("a")
    etag = (await store.head(key)).etag
    write(tmp_path / "a", b"newer")
    with pytest.raises(ObjectChanged):
        await store.get(key, max_bytes=9, if_match=etag)


async def test_a_file_that_is_written_while_it_is_streamed_is_no_whole_object(tmp_path: Path) -> None:
    """[ours: half of two files has no digest]"""
    write(tmp_path / "a", b"x" * 1_000_000)
    with pytest.raises(ObjectChanged):
        await FolderStore(tmp_path).stream(ObjectKey("a"), lambda chunk: write(tmp_path / "a", b"y"))


async def test_an_empty_directory_is_an_empty_object_that_ends_in_a_slash(tmp_path: Path) -> None:
    """[ours]"""
    (tmp_path / "d/empty").mkdir(parents=True)
    store = FolderStore(tmp_path)
    (marker,) = (await store.list_page("")).objects
    found = await store.get(marker.key, max_bytes=0)
    assert (marker.key, marker.size, found.data, found.head.etag) == ("d/empty/", 0, b"", marker.etag)
    assert keys(await FolderStore(tmp_path / "d/empty").list_page("")) == []


async def test_links_special_files_and_odd_names_are_left_out_and_named(tmp_path: Path) -> None:
    """[ours: a link may lead out of the folder]"""
    write(tmp_path / "root/file")
    (tmp_path / "root/link").symlink_to(tmp_path)
    (tmp_path / "root/loop").symlink_to("loop")
    os.mkfifo(tmp_path / "root/pipe")
    write(tmp_path / "root" / os.fsdecode(b"bad\xff"))
    store = FolderStore(tmp_path / "root")
    assert keys(await store.list_page("")) == ["file"]
    assert {problem.where: problem.code for problem in store.skipped} == {
        "link": "symlink",
        "loop": "symlink",
        "pipe": "special_file",
        "bad\\udcff": "name_not_utf8",
    }


async def test_no_key_leads_out_of_the_folder_or_through_a_link(tmp_path: Path) -> None:
    """[ours]"""
    write(tmp_path / "secret", b"secret")
    write(tmp_path / "root/d/file", b"file")
    (tmp_path / "root/out").symlink_to(tmp_path)
    (tmp_path / "root/link").symlink_to(tmp_path / "secret")
    (tmp_path / "root/inside").symlink_to("d/file")
    os.mkfifo(tmp_path / "root/pipe")
    store = FolderStore(tmp_path / "root")
    outside = ["../secret", "d/../../secret", "d/../d/file", str(tmp_path / "secret"), "out/secret", "link", "inside"]
    for key in [*outside, "pipe", "d", "d/", "", "/", "d//file", "./d/file", "nul\0", "d/file/x", "n" * 300, "\udcff"]:
        with pytest.raises(ObjectMissing):
            await store.get(ObjectKey(key), max_bytes=99)
    for prefix in ("../", "out/", "d/../", "/", "missing/", "d/file/"):
        assert await store.list_page(prefix) == ListPage(())


async def test_what_may_not_be_read_is_denied_or_named(tmp_path: Path) -> None:
    """[ours] Nothing is denied to root, whose rights are then asserted instead."""
    write(tmp_path / "d/file")
    store = FolderStore(tmp_path)
    (tmp_path / "d/file").chmod(0)
    if os.geteuid() == 0:
        assert (await store.head(ObjectKey("d/file"))).size == 0
        return
    with pytest.raises(AccessDenied):
        await store.head(ObjectKey("d/file"))
    (tmp_path / "d").chmod(0)
    await store.list_page("")
    (tmp_path / "d").chmod(0o700)
    assert [problem.code for problem in store.skipped] == ["unreadable"]


async def test_a_folder_that_is_not_there_is_a_missing_bucket(tmp_path: Path) -> None:
    """[ours]"""
    with pytest.raises(BucketMissing, match="nowhere"):
        await FolderStore(tmp_path / "nowhere").list_page("")


async def test_a_folder_takes_no_objects(tmp_path: Path) -> None:
    """[ours]"""
    with pytest.raises(StoreError, match="read-only"):
        await FolderStore(tmp_path).put(ObjectKey("a"), b"")
