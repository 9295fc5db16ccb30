"""Stores of the tests' own: one as hostile as S3 permits, one that counts, one that moves while it is read."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from gateway.local.memory import MemoryStore
from gateway.objects import ByteRange, ListedObject, ListPage, ObjectHead, ObjectKey, ObjectSlice, ObjectStore


class MovingStore(MemoryStore):
    """A store on which something happens before the nth call of a method: `happens["list_page", 2] = ...`."""

    def __init__(self, objects: Mapping[str, bytes]) -> None:
        super().__init__(objects)
        self.happens: dict[tuple[str, int], Callable[[], object]] = {}

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        self._before("list_page")
        return await super().list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        self._before("get_range")
        return await super().get_range(key, span, if_match=if_match)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        self._before("get")
        return await super().get(key, max_bytes=max_bytes, if_match=if_match)

    def _before(self, method: str) -> None:
        if happening := self.happens.pop((method, self.calls[method] + 1), None):
            happening()


class HeldStore(MemoryStore):
    """The listing of the whole prefix, once `holds`, was read before `held` and arrives after `go_on`."""

    def __init__(self, objects: Mapping[str, bytes]) -> None:
        super().__init__(objects)
        self.holds = False
        self.held, self.go_on = asyncio.Event(), asyncio.Event()

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        page = await super().list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)
        if not prefix and self.holds:
            self.held.set()
            await self.go_on.wait()
        return page


class WalkOrderStore(MovingStore):
    """Lists by path segment as SeaweedFS does, one item more than it was asked for.

    `phantoms` are directories that were emptied, listed without an ETag. With `has_blanks` each page comes
    after an empty one that is not the last. The last CommonPrefix of a page comes again on the next. A token
    is the last item of its page.
    """

    def __init__(self, objects: Mapping[str, bytes], *, phantoms: Iterable[str] = (), has_blanks: bool = False) -> None:
        super().__init__(objects)
        self._gone = {key: ListedObject(ObjectKey(key), 0, "") for key in phantoms if key not in objects}
        self._has_blanks = has_blanks

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        self._before("list_page")
        self.calls["list_page"] += 1
        is_blank, last = (token or "=")[0] == "=" and self._has_blanks, (token or "=")[1:]
        if is_blank:
            return ListPage((), (), f"!{last}")
        items = [item for item in self._items(prefix, by_directory) if not last or _segments(item) > _segments(last)]
        page, rest = items[: max_keys + 1], items[max_keys + 1 :]
        if by_directory and last.endswith("/") and last != prefix:
            page.insert(0, last)
        folded = {item for item in page if by_directory and item.endswith("/") and item != prefix}
        objects = tuple(self._gone.get(item) or self._listed(item) for item in page if item not in folded)
        prefixes = tuple(item for item in page if item in folded)
        return ListPage(objects, prefixes, f"={page[-1]}" if rest else None)

    async def head(self, key: ObjectKey) -> ObjectHead:
        if key in self._gone:
            self.calls["head"] += 1
            return ObjectHead(0, "d41d8cd98f00b204e9800998ecf8427e-0", "application/x-directory")
        return await super().head(key)

    def _items(self, prefix: str, by_directory: bool) -> list[str]:
        keys = [key for key in (*self._objects, *self._gone) if key.startswith(prefix)]
        slashes = {key: key.find("/", len(prefix)) for key in keys}
        items = {key[: slashes[key] + 1] if by_directory and slashes[key] >= 0 else key for key in keys}
        return sorted(items, key=_segments)


def _segments(key: str) -> list[str]:
    return key.split("/")


class CountingStore:
    """Any store, with its calls and the bytes of objects it sent counted by the name of the method."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self.reset()

    def reset(self) -> None:
        self.calls: Counter[str] = Counter()
        self.sent_bytes: Counter[str] = Counter()
        self.keys_read: Counter[str] = Counter()
        self.keys_listed = 0

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        self.calls["list_page"] += 1
        page = await self._store.list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)
        self.keys_listed += len(page.objects) + len(page.prefixes)
        return page

    async def head(self, key: ObjectKey) -> ObjectHead:
        self.calls["head"] += 1
        return await self._store.head(key)

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        return self._count("get_range", key, await self._store.get_range(key, span, if_match=if_match))

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        return self._count("get", key, await self._store.get(key, max_bytes=max_bytes, if_match=if_match))

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        self.calls["stream"] += 1
        head = await self._store.stream(key, sink, if_match=if_match)
        self.sent_bytes["stream"] += head.size
        return head

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        return await self._store.put(key, data, media_type=media_type, if_match=if_match, if_absent=if_absent)

    async def delete(self, key: ObjectKey) -> None:
        await self._store.delete(key)

    def _count(self, method: str, key: str, part: ObjectSlice) -> ObjectSlice:
        self.calls[method] += 1
        self.sent_bytes[method] += len(part.data)
        self.keys_read[key] += 1
        return part
