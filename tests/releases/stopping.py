"""Stores on which a publish stops, or meets another one."""

from collections.abc import Awaitable, Callable

from gateway.errors import ObjectChanged, StoreUnavailable
from gateway.objects import ByteRange, ListPage, ObjectHead, ObjectKey, ObjectSlice, ObjectStore

Happening = Callable[[], Awaitable[None]]


class StoppingStore:
    """Any store; after `after` calls it is gone.

    With `is_done` the last call takes place and its answer is lost. `before_put` names a key, and what
    happens before it is written for the first time. `repeats_put` names a key that is written, and
    then written again under the same condition, as a client does that lost the answer.
    """

    def __init__(
        self,
        store: ObjectStore,
        *,
        after: int | None = None,
        is_done: bool = False,
        before_put: tuple[str, Happening] | None = None,
        repeats_put: str = "",
    ) -> None:
        self._store, self._after, self._is_done = store, after, is_done
        self._before_put, self._repeats_put = before_put, repeats_put
        self.calls: list[str] = []
        self.keys: list[str] = []

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        self._begin("list_page", prefix)
        return await self._store.list_page(prefix, token=token, max_keys=max_keys, by_directory=by_directory)

    async def head(self, key: ObjectKey) -> ObjectHead:
        self._begin("head", key)
        return await self._store.head(key)

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        self._begin("get_range", key)
        return await self._store.get_range(key, span, if_match=if_match)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        self._begin("get", key)
        return await self._store.get(key, max_bytes=max_bytes, if_match=if_match)

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        self._begin("stream", key)
        return await self._store.stream(key, sink, if_match=if_match)

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        if self._before_put and self._before_put[0] == key:
            (_, happen), self._before_put = self._before_put, None
            await happen()
        is_last = self._begin("put", key)
        etag = await self._store.put(key, data, media_type=media_type, if_match=if_match, if_absent=if_absent)
        if is_last:
            raise StoreUnavailable("killed, and the answer was lost")
        if key == self._repeats_put:
            raise ObjectChanged("the condition held the first time only")
        return etag

    async def delete(self, key: ObjectKey) -> None:
        self._begin("delete", key)
        await self._store.delete(key)

    def _begin(self, method: str, key: str) -> bool:
        """Whether this call takes place and loses its answer. Raises when the store is gone."""
        is_over = self._after is not None and len(self.calls) >= self._after
        is_last = is_over and self._is_done and method == "put" and len(self.calls) == self._after
        self.calls.append(method)
        self.keys.append(key)
        if is_over and not is_last:
            raise StoreUnavailable("killed")
        return is_last
