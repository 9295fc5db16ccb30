"""The port of `gateway.objects`, kept by every store there is: listings."""

from itertools import pairwise, product

from gateway.objects import ListPage, ObjectStore
from tests.stores import Bucket

LISTS_BY_SEGMENT = {"seaweedfs"}
"""Walks directories: `d/x` before `d-1`, where S3 compares the bytes of whole keys."""

LISTS_WHAT_WAS_DELETED = {"juicefs"}
"""Walks ahead of the page it sends, and goes on from there: a key deleted between two pages is still listed."""

PAGE_SIZES = (1, 2, 7, 1000)
KEYS = (
    "a-b.txt", "a.txt", "a/1", "a/2/x", "a/2/y", "a/3", "a0", "b/only", "c/d/e/f", "c/d/g", "upper/A", "upper/a",
    "z/é", "z/😀", "z/~",
)  # fmt: skip


async def fill(bucket: Bucket, keys: tuple[str, ...]) -> None:
    for key in keys:
        await bucket.put(key, key.encode())


async def walk(store: ObjectStore, prefix: str, max_keys: int, *, by_directory: bool = False) -> list[ListPage]:
    pages = [await store.list_page(prefix, max_keys=max_keys, by_directory=by_directory)]
    while (token := pages[-1].next_token) is not None:
        assert token not in [page.next_token for page in pages[:-1]], "a token came twice"
        pages.append(await store.list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory))
    return pages


def keys_of(pages: list[ListPage]) -> list[str]:
    return [item.key for page in pages for item in page.objects]


async def test_pages_give_each_key_once_whatever_their_size(bucket: Bucket) -> None:
    """[S3 ListObjectsV2]"""
    await fill(bucket, KEYS)
    async with bucket.open() as store:
        for prefix, max_keys in product(["", "a/", "a", "c/d/", "nothing/"], PAGE_SIZES):
            pages = await walk(store, prefix, max_keys)
            expected = sorted((key for key in KEYS if key.startswith(prefix)), key=str.encode)
            found = keys_of(pages)
            assert sorted(found, key=str.encode) == expected, (prefix, max_keys)
            assert all(item.size == len(item.key.encode()) for page in pages for item in page.objects)
            if bucket.kind not in LISTS_BY_SEGMENT:
                assert found == expected, (prefix, max_keys)
                assert all(len(page.objects) == max_keys for page, _ in pairwise(pages))


async def test_pages_by_directory_give_each_child_once_whatever_their_size(bucket: Bucket) -> None:
    """[S3 "Organizing objects using prefixes"]"""
    await fill(bucket, KEYS)
    children = {
        "": (["a-b.txt", "a.txt", "a0"], ["a/", "b/", "c/", "upper/", "z/"]),
        "a/": (["a/1", "a/3"], ["a/2/"]),
        "c/": ([], ["c/d/"]),
        "b/only/": ([], []),
    }
    async with bucket.open() as store:
        for (prefix, (objects, prefixes)), max_keys in product(children.items(), PAGE_SIZES):
            pages = await walk(store, prefix, max_keys, by_directory=True)
            found = sorted(one for page in pages for one in page.prefixes)
            assert (sorted(keys_of(pages)), found) == (objects, prefixes), (prefix, max_keys)


async def test_a_page_goes_on_behind_what_was_deleted_and_put_between(bucket: Bucket) -> None:
    """[S3: a token is a position]"""
    await fill(bucket, ("k/1", "k/2", "k/3", "k/4"))
    async with bucket.open() as store:
        first = await store.list_page("k/", max_keys=2)
        await bucket.delete("k/2")
        await bucket.delete("k/3")
        await bucket.put("k/0", b"")
        second = await store.list_page("k/", token=first.next_token, max_keys=2)
    gone = ["k/3"] if bucket.kind in LISTS_WHAT_WAS_DELETED else []
    assert keys_of([first, second]) == ["k/1", "k/2", *gone, "k/4"]


async def test_a_page_holds_what_was_asked_for_and_at_most_one_key_more(bucket: Bucket) -> None:
    """[S3 MaxKeys] [ours: SeaweedFS may send one more]"""
    keys = tuple(f"many/{number:03}" for number in range(103))
    await fill(bucket, keys)
    async with bucket.open() as store:
        pages = await walk(store, "many/", 100)
    assert [len(page.objects) for page in pages] in ([100, 3], [101, 2])
    assert keys_of(pages) == list(keys)


async def test_an_empty_directory_is_a_key_that_ends_in_a_slash(bucket: Bucket) -> None:
    """[S3 console's folders]"""
    await fill(bucket, ("dir/file",))
    await bucket.put("dir/empty/", b"")
    async with bucket.open() as store:
        flat = await store.list_page("dir/")
        inside = await store.list_page("dir/empty/", by_directory=True)
    assert [(item.key, item.size) for item in flat.objects] == [("dir/empty/", 0), ("dir/file", 8)]
    assert [item.key for item in inside.objects] == ["dir/empty/"]
