"""Asking the bucket, one question after another, each within its time. Only what was seen is noted.

When the bucket cannot be listed there is no point in asking more: the rest stays unasked.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from secrets import token_hex
from typing import TypeVar

from gateway.doctor.facts import Examination, Failure, ListingSeen, ObjectsSeen, StoreSeen, WritesSeen
from gateway.errors import GatewayError
from gateway.objects import ByteRange, ListPage, ObjectKey, ObjectStore

T = TypeVar("T")

_LOOKED_AT = 5
Conditions = Callable[[], Awaitable[None]]
"""Tries out conditional writes; raises GatewayError when the store does not honour them."""


async def ask_store(
    store: ObjectStore, examination: Examination, prefix: str, *, timeout_s: float, conditions: Conditions | None = None
) -> StoreSeen:
    """What the bucket says under `prefix`, `timeout_s` for each question. With `conditions` it is written to.

    What is written lies under `<prefix>scratch/` and is taken away again.
    """
    credentials = await answer_of(examination.credentials(), timeout_s)
    page = await answer_of(store.list_page(prefix), timeout_s)
    if isinstance(page, Failure):
        return StoreSeen(page, credentials)
    return StoreSeen(
        await answer_of(_listing(store, prefix, page), 3 * timeout_s),
        credentials,
        await answer_of(examination.region(), timeout_s),
        await answer_of(examination.versioning(), timeout_s),
        await answer_of(_objects(store, page), timeout_s) if page.objects else None,
        await answer_of(_writes(store, prefix, conditions), 2 * timeout_s) if conditions else None,
    )


async def answer_of(question: Awaitable[T], timeout_s: float) -> T | Failure:
    """The answer, or why there is none."""
    try:
        async with asyncio.timeout(timeout_s):
            return await question
    except GatewayError as error:
        return Failure(error.reason, str(error))
    except TimeoutError:
        return Failure("store_unavailable", f"no answer within {timeout_s:g} s")


def misordered(keys: Iterable[str]) -> tuple[str, str] | None:
    """The first two neighbours that are not in the byte order of UTF-8. Pure. Source: S3, ListObjectsV2."""
    before = ""
    for key in keys:
        if before.encode() > key.encode():
            return before, key
        before = key
    return None


async def _listing(store: ObjectStore, prefix: str, page: ListPage) -> ListingSeen:
    keys = [str(listed.key) for listed in page.objects]
    has_more = page.next_token is not None
    small: Sequence[str] = ()
    small_page = None
    if len(keys) > 2:
        first = await store.list_page(prefix, max_keys=2)
        second = await store.list_page(prefix, max_keys=2, token=first.next_token) if first.next_token else ListPage(())
        small, small_page = [one.key for one in (*first.objects, *second.objects)], len(first.objects)
    folded = await store.list_page(prefix, by_directory=True)
    direct: list[str] = [*folded.prefixes, *(one.key for one in folded.objects)]
    wanted = {_child(key, prefix) for key in keys}
    is_whole = not has_more and folded.next_token is None
    lost = [
        *(key for key in keys[: len(small)] if key not in small),
        *(sorted(wanted - set(direct)) if is_whole else ()),
    ]
    counted = (Counter[str](names) for names in (keys, small, direct))
    repeated = [name for counts in counted for name, times in counts.items() if times > 1]
    return ListingSeen(len(keys), has_more, misordered(keys), small_page, tuple(lost), tuple(repeated))


def _child(key: str, prefix: str) -> str:
    """What a listing by directory has for a key: itself, or the directory it is in."""
    name, slash, _ = key.removeprefix(prefix).partition("/")
    return f"{prefix}{name}{slash}"


async def _objects(store: ObjectStore, page: ListPage) -> ObjectsSeen:
    chosen = sorted((one for one in page.objects if one.size), key=lambda one: not one.key.endswith("SKILL.md"))
    heads = [await store.head(listed.key) for listed in chosen[:_LOOKED_AT]]
    if chosen:
        await store.get_range(chosen[0].key, ByteRange(0, 1))
    return ObjectsSeen(len(heads), sum(head.sha256 is not None for head in heads))


async def _writes(store: ObjectStore, prefix: str, conditions: Conditions) -> WritesSeen:
    """Two objects that a walk by path segment lists the wrong way round: `-` comes before `/`."""
    below = f"{prefix}scratch/doctor-{token_hex(8)}/"
    keys = [ObjectKey(f"{below}a-x"), ObjectKey(f"{below}a/x")]
    try:
        for key in keys:
            await store.put(key, b"doctor")
        head = await store.head(keys[0])
        listed = [one.key for one in (await store.list_page(below)).objects]
    finally:
        for key in keys:
            await store.delete(key)
    refused: Failure | None = None
    try:
        await conditions()
    except GatewayError as error:
        refused = Failure(error.reason, str(error))
    return WritesSeen(head.sha256 is not None, misordered(listed) is None, refused)
