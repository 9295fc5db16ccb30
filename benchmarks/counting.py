"""An object store that counts what it is asked and what it sends: calls by kind, and bytes of objects."""

from collections.abc import Callable
from dataclasses import dataclass

from gateway.objects import MAX_LIST_KEYS, ByteRange, ListPage, ObjectHead, ObjectKey, ObjectSlice, ObjectStore


@dataclass(slots=True)
class Count:
    """`gets` are whole reads, ranges and streams; `sent_bytes` what they sent; `listed` the keys in listings."""

    lists: int = 0
    heads: int = 0
    gets: int = 0
    sent_bytes: int = 0
    listed: int = 0

    @property
    def calls(self) -> int:
        return self.lists + self.heads + self.gets


class CountingStore:
    """The store it is given, with everything counted in `count`, which may be replaced at any time."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self.count = Count()

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = MAX_LIST_KEYS, by_directory: bool = False
    ) -> ListPage:
        page = await self._store.list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)
        self.count.lists += 1
        self.count.listed += len(page.objects) + len(page.prefixes)
        return page

    async def head(self, key: ObjectKey) -> ObjectHead:
        self.count.heads += 1
        return await self._store.head(key)

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        return self._sent(await self._store.get_range(key, span, if_match=if_match))

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        return self._sent(await self._store.get(key, max_bytes=max_bytes, if_match=if_match))

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        head = await self._store.stream(key, sink, if_match=if_match)
        self.count.gets += 1
        self.count.sent_bytes += head.size
        return head

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        return await self._store.put(key, data, media_type=media_type, if_match=if_match, if_absent=if_absent)

    def _sent(self, part: ObjectSlice) -> ObjectSlice:
        self.count.gets += 1
        self.count.sent_bytes += len(part.data)
        return part
