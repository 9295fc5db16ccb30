"""Directory reads of dynamic skills: a delimiter listing in, direct children out.

One `ListObjectsV2` with `Delimiter=/` a page. `CommonPrefixes` are directories, `Contents` are files;
the marker of the directory itself is left out. A store may send one key more than it was asked for,
and the same CommonPrefix on two pages: neither reaches the caller.
"""

from collections.abc import Sequence

from gateway.errors import NotADirectory, ObjectChanged, ObjectMissing
from gateway.objects import ListedObject, ListPage
from gateway.provider import Child, DirectoryPage, Page
from gateway.tree.keys import KeyMap, Located, Segments, is_hidden
from gateway.tree.position import Place, load_place
from gateway.tree.probe import Prober
from gateway.tree.source import Source
from gateway.tree.together import together


async def list_directory(
    source: Source, prober: Prober, directory: Segments, page: Page, *, is_root: bool
) -> DirectoryPage:
    """One page of the children of `directory`. Raises NotADirectory when nothing lies there.

    The position is a Place: its token is the listing page to ask for, `passed` the last child served
    from that very page, `inside` the last directory of the page before, which a store may repeat.
    """
    keys = source.keys
    if is_hidden(directory) or not keys.is_fit(directory):
        raise NotADirectory(f"{'/'.join(directory)!r} is not a directory of this skill")
    start = load_place(page.position)
    prefix = keys.directory_prefix(directory)
    listing = await source.store.list_page(prefix, token=start.token, max_keys=page.limit, by_directory=True)
    if page.position is None and not is_root and not await _exists(listing, prober):
        raise NotADirectory(f"{'/'.join(directory)!r} is not a directory of this skill")
    files, directories = _files(listing, keys, directory), _directories(listing, keys, directory)
    repeated = directories & {start.inside}
    fresh = sorted(name for name in {*files, *directories} - repeated if name > start.passed)
    served = fresh[: page.limit]
    children = await together(_child(name, files.get(name), name in directories, prober) for name in served)
    position = _next(start, listing, keys) if len(fresh) == len(served) else _cut(start, served)
    return DirectoryPage(tuple(children), position)


async def _exists(listing: ListPage, prober: Prober) -> bool:
    if listing.prefixes or listing.next_token:
        return True
    # Alone in its listing, the key of the directory itself may be one that the store has not yet forgotten.
    return any([not listed.key.endswith("/") or await prober.is_marker(listed) for listed in listing.objects])


def _files(listing: ListPage, keys: KeyMap, directory: Segments) -> dict[str, ListedObject]:
    places = (keys.locate(listed) for listed in listing.objects)
    return {
        place.segments[-1]: place.listed
        for place in places
        if isinstance(place, Located) and not place.is_directory and len(place.segments) == len(directory) + 1
    }


def _directories(listing: ListPage, keys: KeyMap, directory: Segments) -> set[str]:
    """Names of subdirectories; a key that ends in `/` may come as a CommonPrefix or as an object."""
    markers = [
        place.segments
        for listed in listing.objects
        if isinstance(place := keys.locate(listed), Located) and place.is_directory
    ]
    folded = [keys.segments_of(prefix) for prefix in listing.prefixes]
    return {
        segments[-1]
        for segments in (*markers, *folded)
        if len(segments) == len(directory) + 1 and not is_hidden(segments) and keys.is_fit(segments)
    }


async def _child(name: str, listed: ListedObject | None, is_directory: bool, prober: Prober) -> Child:
    if is_directory or listed is None:
        return Child(name, is_directory=True)
    try:
        media_type = await prober.media_type(listed, name)
    except (ObjectChanged, ObjectMissing):
        media_type = None  # it was there when the directory was listed; a read says what it is now
    return Child(name, is_directory=False, size=listed.size, media_type=media_type)


def _cut(start: Place, served: Sequence[str]) -> str:
    """More of this very page is to come."""
    return Place(start.token, served[-1], start.inside).dump()


def _next(start: Place, listing: ListPage, keys: KeyMap) -> str | None:
    if listing.next_token is None:
        return None
    # The last in the store's own order (`a-b/` before `a/`), which need not be the greatest name.
    last = keys.segments_of(listing.prefixes[-1])[-1] if listing.prefixes else start.inside
    return Place(listing.next_token, "", last).dump()
