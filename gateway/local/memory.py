"""An object store in memory, with the semantics of S3: for tests, and for trying things out.

Byte order, pages, tokens, ranges, conditions, checksums and media types behave as documented for
AWS S3; nothing is slow, refused or lost. Calls are counted by operation.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import md5

from gateway.errors import ObjectChanged, ObjectMissing, ObjectTooLarge
from gateway.local.paging import byte_order, page_of
from gateway.objects import MAX_LIST_KEYS, ByteRange, ListedObject, ListPage, ObjectHead, ObjectKey, ObjectSlice
from gateway.skill.model import Digest, digest_of

_STREAM_CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Stored:
    data: bytes
    head: ObjectHead


class MemoryStore:
    """One bucket in memory.

    `keep_checksums`: whether `put` stores a SHA-256, as stores differ in that. `calls` counts calls by the
    name of the method; `store` and `erase` are the test's own hand and count nothing. `now` is the clock that
    dates objects, in POSIX seconds.
    """

    def __init__(
        self,
        objects: Mapping[str, bytes] | None = None,
        *,
        keep_checksums: bool = True,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.calls: Counter[str] = Counter()
        self._keep_checksums, self._now = keep_checksums, now
        self._objects: dict[str, _Stored] = {}
        self._sorted: list[str] | None = []
        for key, data in (objects or {}).items():
            self.store(key, data)

    def store(
        self,
        key: str,
        data: bytes,
        *,
        media_type: str | None = None,
        checksum: bool | None = None,
        claimed_sha256: Digest | None = None,
    ) -> str:
        """Put an object at once and return its ETag; `checksum` says for it alone whether to keep a SHA-256.

        `claimed_sha256` is what its user metadata shall say, true or not.
        """
        keeps = self._keep_checksums if checksum is None else checksum
        etag = md5(data, usedforsecurity=False).hexdigest()
        digest = digest_of(data) if keeps else None
        head = ObjectHead(len(data), etag, media_type, digest, claimed_sha256, self._now())
        if key not in self._objects:
            self._sorted = None
        self._objects[key] = _Stored(bytes(data), head)
        return etag

    def erase(self, key: str) -> None:
        """Take an object away at once; nothing happens when there is none."""
        if self._objects.pop(key, None) is not None:
            self._sorted = None

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = MAX_LIST_KEYS, by_directory: bool = False
    ) -> ListPage:
        self.calls["list_page"] += 1
        if self._sorted is None:
            self._sorted = sorted(self._objects, key=byte_order)
        return page_of(
            self._sorted, self._listed, prefix=prefix, token=token, max_keys=max_keys, by_directory=by_directory
        )

    async def head(self, key: ObjectKey) -> ObjectHead:
        self.calls["head"] += 1
        return self._find(key, "").head

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        self.calls["get_range"] += 1
        found = self._find(key, if_match)
        return ObjectSlice(found.data[span.start : span.stop], found.head)

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        self.calls["get"] += 1
        found = self._find(key, if_match)
        if found.head.size > max_bytes:
            raise ObjectTooLarge(f"{key!r} has {found.head.size} bytes, at most {max_bytes} are read")
        return ObjectSlice(found.data, found.head)

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        self.calls["stream"] += 1
        found = self._find(key, if_match)
        for start in range(0, found.head.size, _STREAM_CHUNK_BYTES):
            sink(found.data[start : start + _STREAM_CHUNK_BYTES])
        return found.head

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        self.calls["put"] += 1
        present = self._objects.get(key)
        if if_absent and present is not None:
            raise ObjectChanged(f"{key!r} is there already, with ETag {present.head.etag!r}")
        if if_match and (present is None or present.head.etag != if_match):
            raise ObjectChanged(f"{key!r} no longer has ETag {if_match!r}")
        return self.store(key, data, media_type=media_type)

    async def delete(self, key: ObjectKey) -> None:
        self.calls["delete"] += 1
        self.erase(key)

    def _listed(self, key: str) -> ListedObject:
        head = self._objects[key].head
        return ListedObject(ObjectKey(key), head.size, head.etag)

    def _find(self, key: str, if_match: str) -> _Stored:
        found = self._objects.get(key)
        if found is None:
            raise ObjectMissing(f"there is no object {key!r}")
        if if_match and found.head.etag != if_match:
            raise ObjectChanged(f"{key!r} has ETag {found.head.etag!r}, not {if_match!r}")
        return found
