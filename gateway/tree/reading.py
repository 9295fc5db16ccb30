"""Reading files: whole objects in, checked against the entry they were published under, and kept.

A file of a static skill is asked for with the ETag it was listed with, so that its bytes and its entry
are of one moment; what comes is checked against the digest before anybody sees it. Kept contents are
found by (key, ETag, size), under which they can never change.
"""

from gateway.errors import ContentTooLarge, NotServed, ObjectChanged, ObjectMissing, ObjectTooLarge
from gateway.memory.flights import Flights
from gateway.memory.shelves import Shelf, new_memory
from gateway.objects import ListedObject
from gateway.provider import Content
from gateway.skill.media import looks_like_utf8, media_type_of
from gateway.skill.model import SkillFile, digest_of
from gateway.tree.keys import Segments, is_hidden
from gateway.tree.options import TreeOptions
from gateway.tree.source import Source

CacheKey = tuple[str, str, int]


def cache_key(listed: ListedObject) -> CacheKey:
    """What an object's bytes are known by for ever."""
    return (listed.key, listed.etag, listed.size)


class Contents:
    """Contents of files that were read whole, bounded in bytes."""

    def __init__(self, options: TreeOptions) -> None:
        self._allow_binary = options.allow_binary
        memory = self.memory = new_memory(options.content_cache_bytes)
        self._kept: Shelf[CacheKey, Content] = Shelf(memory, "content", lambda content: len(content.data))

    def find(self, listed: ListedObject) -> Content | None:
        aged = self._kept.find(cache_key(listed))
        return None if aged is None else aged.value

    def find_warm(self, listed: ListedObject) -> Content | None:
        """As `find`, for those who ask when there is nothing."""
        aged = self._kept.find_warm(cache_key(listed))
        return None if aged is None else aged.value

    def keep(self, listed: ListedObject, data: bytes, media_type: str) -> Content:
        content = Content(data, media_type, allow_binary=self._allow_binary)
        if listed.etag:
            self._kept.put(cache_key(listed), content)
        return content


class Reader:
    """Reads files of one tree."""

    def __init__(self, source: Source, contents: Contents) -> None:
        self._store, self._keys, self._options, self._contents = source.store, source.keys, source.options, contents
        self._flights: Flights[tuple[str, str, str], Content] = Flights(source.now)

    def kept(self, listed: ListedObject) -> Content | None:
        """A file, if it may be sent and need not be asked for."""
        return self._contents.find_warm(listed) if listed.size <= self._options.max_file_bytes else None

    async def read(self, listed: ListedObject, published: SkillFile, named: str) -> Content:
        """A published file; `named` is how errors call it.

        Raises ContentTooLarge; ObjectChanged, ObjectMissing, ObjectTooLarge when it is not what was published.
        """
        if published.size > self._options.max_file_bytes:
            limit = self._options.max_file_bytes
            raise ContentTooLarge(f"{named} has {published.size} bytes; one read sends at most {limit}")
        if (kept := self._contents.find(listed)) is not None:
            return kept

        async def ask() -> Content:
            found = await self._store.get(listed.key, max_bytes=published.size, if_match=listed.etag)
            if len(found.data) != published.size or digest_of(found.data) != published.digest:
                raise ObjectChanged(f"{listed.key!r}: its bytes are not the ones that were published")
            return self._contents.keep(listed, found.data, published.media_type)

        return await self._flights.join((listed.key, listed.etag, published.digest), ask)

    async def read_dynamic(self, segments: Segments, named: str) -> Content:
        """A file of a dynamic skill, as it is now. Raises NotServed, ContentTooLarge."""
        if is_hidden(segments) or not self._keys.is_fit(segments):
            raise NotServed(f"{named} is not served")
        limit = self._options.max_file_bytes
        try:
            found = await self._store.get(self._keys.key_of(segments), max_bytes=limit)
        except ObjectMissing:
            raise NotServed(f"{named} is not served") from None
        except ObjectTooLarge:
            raise ContentTooLarge(f"{named} has more than {limit} bytes, the most one read sends") from None
        media_type = media_type_of(segments[-1], found.head.media_type, looks_like_utf8(found.data, None))
        return Content(found.data, media_type, allow_binary=self._options.allow_binary)
