"""Findings about what the store can do, and how it lists. Pure.

Each oddity named as ok here is one that serving copes with. Source: S3 API reference, ListObjectsV2,
Checking object integrity, Conditional writes, Versioning.
"""

from collections.abc import Iterator

from gateway.doctor.facts import Failure, ListingSeen, ObjectsSeen, StoreSeen, WritesSeen
from gateway.doctor.finding import Finding, Level

_ASKED_FOR = 2


def judge_store(seen: StoreSeen) -> tuple[Finding, ...]:
    """Nothing at all when the bucket could not be listed."""
    return () if isinstance(seen.listing, Failure) else (*_all(seen, seen.listing),)


def _all(seen: StoreSeen, listing: ListingSeen) -> Iterator[Finding]:
    yield from _listing(listing)
    if seen.objects is not None:
        yield from _objects(seen.objects)
    if seen.versioning is not None:
        yield _versioning(seen.versioning)
    if seen.writes is None:
        yield _found("writes", "ok", "not tried: conditional writes and checksums of new objects need --write")
    else:
        yield from _writes(seen.writes)


def _listing(seen: ListingSeen) -> Iterator[Finding]:
    if seen.keys == 0:
        return
    if seen.misordered:
        before, after = seen.misordered
        yield _found("order", "ok", f"{after!r} is listed after {before!r}, not in byte order; serving copes with that")
    else:
        yield _found("order", "ok", f"{seen.keys} keys came in byte order")
    if seen.small_page is not None and seen.small_page != _ASKED_FOR:
        said = f"a page of {_ASKED_FOR} keys held {seen.small_page}; serving copes with that"
        yield _found("page_size", "ok", said)
    if seen.lost or seen.repeated:
        yield _found("pages", "warning", f"listings disagree: {_disagreement(seen)}", _PAGES)
    else:
        yield _found("pages", "ok", "whole, paged and by directory, the listings agree")


_PAGES = "run it again when nobody writes; if it stays, keys of these names cannot be relied on with this store"
_NAMED = 3


def _disagreement(seen: ListingSeen) -> str:
    parts = (("missing", seen.lost), ("twice", seen.repeated))
    return ", ".join(f"{what} {', '.join(map(repr, names[:_NAMED]))}" for what, names in parts if names)


def _objects(seen: ObjectsSeen | Failure) -> Iterator[Finding]:
    if isinstance(seen, Failure):
        remedy = (
            "allow s3:GetObject below the prefix" if seen.reason == "access_denied" else "look at what the store said"
        )
        yield Finding("access", "read", "error", seen.detail, remedy)
        return
    yield Finding("access", "read", "ok", "objects may be read")
    if seen.looked_at == 0:
        return
    said = f"{seen.with_sha256} of {seen.looked_at} objects looked at have a SHA-256 of the store's own"
    remedy = "upload with a SHA-256 (aws s3 cp --checksum-algorithm SHA256), or publish releases; files are hashed here"
    yield _found("checksums", "ok", said) if seen.with_sha256 else _found("checksums", "warning", said, remedy)


def _versioning(seen: str | Failure) -> Finding:
    if isinstance(seen, Failure):
        why = "the store has none" if "NotImplemented" in seen.detail else f"the store does not tell ({seen.detail})"
        return _found("versioning", "ok", f"versioning: {why}; only releases can be rolled back")
    if seen == "Enabled":
        return _found("versioning", "ok", "versioning is on")
    return _found("versioning", "ok", f"versioning is {seen.lower() or 'off'}; only releases can be rolled back")


def _writes(seen: WritesSeen | Failure) -> Iterator[Finding]:
    if isinstance(seen, Failure):
        remedy = "allow s3:PutObject and s3:DeleteObject to who publishes; a gateway that only serves needs neither"
        yield Finding("access", "write", "warning", seen.detail, remedy)
        return
    yield Finding("access", "write", "ok", "objects may be written and deleted")
    if seen.keeps_sha256:
        yield _found("new_checksums", "ok", "a SHA-256 given with an upload is kept")
    else:
        remedy = "nothing is lost: files are hashed here, or by a publish; newer stores keep it"
        yield _found("new_checksums", "warning", "a SHA-256 given with an upload is not kept", remedy)
    order = "in byte order" if seen.in_byte_order else "by path segment, not in byte order; serving copes with that"
    yield _found("new_order", "ok", f"new keys are listed {order}")
    if seen.conditions is None:
        yield _found("conditions", "ok", "conditional writes are honoured, so two publishes cannot undo each other")
    else:
        remedy = "let only one publish run at a time, with --force-unconditional, or use a store that honours them"
        yield _found("conditions", "warning", seen.conditions.detail, remedy)


def _found(code: str, level: Level, seen: str, remedy: str = "") -> Finding:
    return Finding("store", code, level, seen, remedy)
