"""Port: an object store, shaped like S3.

The narrowest view of S3 that serves skills: list a page, look at one object, read a range, read a
whole object under a precondition, put under conditions, delete. It knows nothing of skills, and nothing of
botocore: every answer is one of the dataclasses here, every failure an error of `gateway.errors`.

Source: S3 API reference (ListObjectsV2, HeadObject, GetObject, PutObject, DeleteObject); RFC 9110 sections 13, 14.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NewType, Protocol, runtime_checkable

from gateway.skill.model import Digest

ObjectKey = NewType("ObjectKey", str)

MAX_LIST_KEYS = 1000
"""What one list page holds at the most (S3's own limit)."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Calls to a store: under way, waiting for a place, allowed at once now, and at the most."""

    taken: int
    waiting: int
    allowed: int
    most: int


@runtime_checkable
class PacedStore(Protocol):
    """A store that bounds the calls to it."""

    @property
    def pace(self) -> Pace: ...


@dataclass(frozen=True, slots=True)
class ListedObject:
    """One key of a listing. `etag` is opaque, without quotes, and empty when the store gave none."""

    key: ObjectKey
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a listing, in the store's own order, which need not be byte order.

    `objects` and `prefixes` (only with a delimiter; each ends in `/`) may both be empty on a page
    that is not the last. `next_token` is None on the last page, and never an empty text.
    """

    objects: tuple[ListedObject, ...]
    prefixes: tuple[str, ...] = ()
    next_token: str | None = None


@dataclass(frozen=True, slots=True)
class ObjectHead:
    """What the store says of one object without its bytes.

    `size` in bytes; `media_type` as stored, None when there is none; `sha256` only when the store
    holds a checksum of the full object (a COMPOSITE one of a multipart upload is not one).
    `claimed_sha256` is what the user metadata `sha256` says: a hint that nobody verified, so no digest
    to publish before the bytes were hashed.
    """

    size: int
    etag: str
    media_type: str | None = None
    sha256: Digest | None = None
    claimed_sha256: Digest | None = None
    modified_at: float | None = field(default=None, compare=False)
    """When it was last written, in POSIX seconds as the store's clock has it; None when the store does not say."""


@dataclass(frozen=True, slots=True)
class ObjectSlice:
    """Bytes of an object, with its head. `data` is shorter than asked for only at the object's end."""

    data: bytes
    head: ObjectHead


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Half-open range of bytes `[start, stop)`, `0 <= start < stop`."""

    start: int
    stop: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop:
            raise ValueError(f"not a byte range: [{self.start}, {self.stop})")


class ObjectStore(Protocol):
    """An object store with one bucket.

    Keys go out verbatim, so callers never pass one with an empty, `.` or `..` segment. Every call
    has a deadline of its own. Errors common to all: StoreUnavailable, StoreThrottled, AccessDenied
    (ClockSkew), BucketMissing, WrongRegion, StoreMisbehaved.
    """

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = MAX_LIST_KEYS, by_directory: bool = False
    ) -> ListPage:
        """One page of the keys under `prefix`, at most about `max_keys` (a store may send one more).

        `token` is the `next_token` of the page before. With `by_directory` keys with a further `/`
        are folded into `prefixes`.
        """
        ...

    async def head(self, key: ObjectKey) -> ObjectHead:
        """Raises ObjectMissing."""
        ...

    async def get_range(self, key: ObjectKey, span: ByteRange, *, if_match: str = "") -> ObjectSlice:
        """Bytes of `span`, cut at the object's end; empty for an empty object or past the end.

        `if_match` is an ETag as listed; empty means no condition. Raises ObjectMissing, ObjectChanged.
        """
        ...

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        """The whole object. Raises ObjectMissing, ObjectChanged; ObjectTooLarge before reading past `max_bytes`."""
        ...

    async def stream(self, key: ObjectKey, sink: Callable[[bytes], object], *, if_match: str = "") -> ObjectHead:
        """Hand the whole object to `sink` chunk by chunk, in order, holding one chunk at a time.

        Raises as `get`, and StoreUnavailable when fewer or more bytes came than the head promised.
        """
        ...

    async def put(
        self, key: ObjectKey, data: bytes, *, media_type: str | None = None, if_match: str = "", if_absent: bool = False
    ) -> str:
        """Store `data` with its SHA-256 checksum and return the new ETag.

        `if_match` demands that ETag, `if_absent` that there is no such key; ObjectChanged when the
        condition does not hold. A store may ignore conditions: callers that rely on one try it first.
        """
        ...

    async def delete(self, key: ObjectKey) -> None:
        """Take an object away; no error when there is none."""
        ...
