"""Directory reads of dynamic skills: a delimiter listing in, direct children out.

One `ListObjectsV2` with `Delimiter=/` a page. `CommonPrefixes` are directories, `Contents` are files;
the marker of the directory itself is left out. A store may send one key more than it was asked for,
and the same CommonPrefix on two pages: neither reaches the caller.
"""

import asyncio
from collections.abc import Sequence

from gateway.errors import NotADirectory
from gateway.objects import ListedObject, ListPage, ObjectStore
from gateway.provider import Child, DirectoryPage, Page
from gateway.tree.keys import KeyMap, Located, Segments, is_hidden
from gateway.tree.position import Place, load_place
from gateway.tree.probe import Prober


async def list_directory(
    store: ObjectStore, keys: KeyMap, prober: Prober, directory: Segments, page: Page, *, is_root: bool
) -> DirectoryPage:
    """One page of the children of `directory`. Raises NotADirectory when nothing lies there.

    The position is a Place: its token is the listing page to ask for, `passed` the last child served
    from that very page, `inside` the last directory of the page before, which a store may repeat.
    """
    start = load_place(page.position)
    prefix = keys.directory_prefix(directory)
    listing = await store.list_page(prefix, token=start.token, max_keys=page.limit, by_directory=True)
    if page.position is None and not is_root and not _exists(listing):
        raise NotADirectory(f"{'/'.join(directory)!r} is not a directory of this skill")
    files, directories = _files(listing, keys, directory), _directories(listing, keys, directory)
    repeated = directories & {start.inside}
    fresh = sorted(name for name in {*files, *directories} - repeated if name > start.passed)
    served = fresh[: page.limit]
    children = await asyncio.gather(*(_child(name, files.get(name), name in directories, prober) for name in served))
    return DirectoryPage(tuple(children), _next(start, listing, served, len(fresh) > len(served), directories))


def _exists(listing: ListPage) -> bool:
    """An object without an ETag is a phantom: a directory that a store has not yet forgotten."""
    return bool(listing.prefixes or listing.next_token or any(listed.etag for listed in listing.objects))


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
    return Child(name, is_directory=False, size=listed.size, media_type=await prober.media_type(listed, name))


def _next(start: Place, listing: ListPage, served: Sequence[str], is_cut: bool, directories: set[str]) -> str | None:
    if is_cut:
        return Place(start.token, served[-1], start.inside).dump()
    if listing.next_token is None:
        return None
    return Place(listing.next_token, "", max(directories, default="")).dump()
