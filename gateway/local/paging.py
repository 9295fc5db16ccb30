"""Pages of a sorted list of keys: what S3 means by prefix, delimiter, limit and token.

Pure, and the one place for every store of this machine. A token is the last key or common prefix
of its page, so the next page goes on behind it, whatever was put or deleted between.
Source: S3 API reference, ListObjectsV2; S3 user guide, "Organizing objects using prefixes".
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from gateway.errors import StoreError
from gateway.objects import MAX_LIST_KEYS, ListedObject, ListPage

_AFTER_KEY = "key:"
_AFTER_FOLDER = "folder:"


def byte_order(key: str) -> bytes:
    """S3's order: the UTF-8 bytes of the whole key."""
    return key.encode("utf-8", "surrogatepass")


def page_of(
    keys: Sequence[str],
    listed: Callable[[str], ListedObject],
    *,
    prefix: str,
    token: str | None,
    max_keys: int,
    by_directory: bool,
) -> ListPage:
    """One page of `keys`, which are sorted by `byte_order`.

    A common prefix counts as one key. Above 1,000 `max_keys` means 1,000, and 0 an empty last page, as
    on S3. Raises StoreError for a token that no page here has returned.
    """
    limit = min(max_keys, MAX_LIST_KEYS)
    index = bisect_left(keys, byte_order(prefix), key=byte_order) if token is None else _behind_token(keys, token)
    last = ""
    objects: list[ListedObject] = []
    prefixes: list[str] = []
    while limit > 0 and index < len(keys) and keys[index].startswith(prefix):
        if len(objects) + len(prefixes) == limit:
            return ListPage(tuple(objects), tuple(prefixes), last)
        folder = _folder(keys[index], prefix) if by_directory else None
        if folder is None:
            last = _AFTER_KEY + keys[index]
            objects.append(listed(keys[index]))
            index += 1
        else:
            last = _AFTER_FOLDER + folder
            prefixes.append(folder)
            index = _behind_all(keys, folder)
    return ListPage(tuple(objects), tuple(prefixes))


def _behind_token(keys: Sequence[str], token: str) -> int:
    # A key may end in `/` as a folder does: only the mark tells whether what is under it was sent.
    if token.startswith(_AFTER_FOLDER):
        return _behind_all(keys, token.removeprefix(_AFTER_FOLDER))
    if token.startswith(_AFTER_KEY):
        return bisect_right(keys, byte_order(token.removeprefix(_AFTER_KEY)), key=byte_order)
    raise StoreError(f"{token[:40]!r} is no continuation token of this store; start again without one")


def _folder(key: str, prefix: str) -> str | None:
    slash = key.find("/", len(prefix))
    return None if slash < 0 else key[: slash + 1]


def _behind_all(keys: Sequence[str], prefix: str) -> int:
    # `/` is followed by `0` in UTF-8, so this is the least text behind everything under the prefix.
    return bisect_left(keys, byte_order(prefix[:-1] + "0"), key=byte_order)
