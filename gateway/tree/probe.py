"""Byte-range probes: what one object is, without downloading it where that can be helped.

A file is known from its HEAD (size, stored type, stored SHA-256) and, where the store keeps no checksum,
from one bounded streamed hash, or from one GET when it is small. Text or binary is judged on a range at
each end, or exactly when all bytes went by anyway. Every answer is remembered by (key, ETag, size), under
which it can never change.

Source: RFC 9110 section 14 (ranges); S3 HeadObject with ChecksumMode.
"""

import asyncio
from hashlib import sha256

from gateway.errors import ObjectChanged, ObjectMissing
from gateway.memory.flights import Flights
from gateway.memory.shelves import Memory, Shelf
from gateway.objects import ByteRange, ListedObject, ObjectHead
from gateway.skill.assembly import FileFacts
from gateway.skill.media import Utf8Check, is_binary, looks_like_utf8, media_type_of, needs_bytes
from gateway.skill.model import SKILL_MD, Digest, Problem, digest_of
from gateway.tree.reading import CacheKey, Contents, cache_key
from gateway.tree.source import Source

_CONCURRENT_HASHES = 4
FACTS_BYTES = 500
"""What one remembered answer weighs, about: key, ETag, digest and their objects."""


class Prober:
    """Asks one store about single objects."""

    def __init__(self, source: Source, memory: Memory, contents: Contents) -> None:
        """Answers are kept in `memory`, and in `contents` the bytes of files that were read whole for them."""
        self._store, self._options, self._report = source.store, source.options, source.report
        self._contents = contents
        self._hashing = asyncio.Semaphore(_CONCURRENT_HASHES)
        self._facts: Shelf[CacheKey, FileFacts] = Shelf(memory, "facts", lambda _: FACTS_BYTES)
        self._looks: Flights[CacheKey, FileFacts] = Flights(source.now)
        self._keeps_checksums = True

    async def file(self, listed: ListedObject, file_path: str) -> FileFacts:
        """Facts of a file; `file_path` is its name, or ends in it. Raises ObjectChanged, ObjectMissing."""
        key = cache_key(listed)
        if not listed.etag:
            return await self._look(listed, file_path)
        if (known := self._facts.find(key)) is not None:
            return known.value
        facts = await self._looks.join(key, lambda: self._look(listed, file_path))
        self._facts.put(key, facts)
        return facts

    async def media_type(self, listed: ListedObject, file_path: str) -> str:
        """Media type for a directory listing: by name where the name tells, else by a look at the bytes."""
        if not needs_bytes(file_path, None) or not listed.size:
            return media_type_of(file_path, None, True)
        _, stored, is_text = await self._look_at_ends(listed)
        return media_type_of(file_path, stored, is_text)

    async def is_marker(self, listed: ListedObject) -> bool:
        """Whether somebody put this key of an empty directory.

        For a minute SeaweedFS lists a directory whose last object went: without an ETag, though a HEAD
        gives one. MinIO's code has no ETag for any directory, neither here nor there.
        """
        if listed.etag:
            return True
        try:
            return not (await self._store.head(listed.key)).etag
        except ObjectMissing:
            return False

    async def _look(self, listed: ListedObject, file_path: str) -> FileFacts:
        if not listed.size:
            return _facts(listed, file_path, None, digest_of(b""), True)
        if self._is_read_whole(listed):
            part = await self._store.get_range(listed.key, ByteRange(0, listed.size), if_match=listed.etag)
            check_unchanged(listed, part.head)
            return self.facts_of(listed, file_path, part.head.media_type, part.data)
        head = await self._store.head(listed.key)
        check_unchanged(listed, head)
        self._keeps_checksums = head.sha256 is not None
        digest, is_text = head.sha256, None
        if digest is None and listed.size <= self._options.max_hash_bytes:
            digest, is_text = await self._hash(listed)
        self._check_claim(listed, head, digest)
        if is_text is None:
            is_text = await self._verdict(listed, file_path, head)
        return _facts(listed, file_path, head.media_type, digest, is_text)

    def _check_claim(self, listed: ListedObject, head: ObjectHead, digest: Digest | None) -> None:
        """A publisher's `sha256` metadata is believed by nobody, and reported when the bytes are others."""
        if digest is not None and head.claimed_sha256 not in (None, digest):
            detail = (
                f"the metadata sha256 says {head.claimed_sha256}, the bytes have {digest}, which is what is served; "
                "upload the file again"
            )
            self._report(Problem(listed.key, "wrong_sha256_metadata", detail))

    def _is_read_whole(self, listed: ListedObject) -> bool:
        """Whether all bytes of a file cost no more calls than a look at it."""
        if not self._options.allow_binary and listed.size <= 2 * self._options.probe_bytes:
            return True  # the bytes are wanted for the verdict
        # Without a checksum its HEAD would be followed by a GET; a larger file's HEAD tells when that has changed.
        return not self._keeps_checksums and listed.size <= self._options.small_file_bytes

    def facts_of(self, listed: ListedObject, file_path: str, stored: str | None, data: bytes) -> FileFacts:
        """Facts from all bytes, which are kept for the first read."""
        facts = _facts(listed, file_path, stored, digest_of(data), looks_like_utf8(data, None))
        self._contents.keep(listed, data, facts.media_type)
        return facts

    async def _hash(self, listed: ListedObject) -> tuple[Digest, bool]:
        state, text = sha256(), Utf8Check()

        def sink(chunk: bytes) -> None:
            state.update(chunk)
            text.feed(chunk)

        async with self._hashing:
            head = await self._store.stream(listed.key, sink, if_match=listed.etag)
        check_unchanged(listed, head)
        return Digest("sha256:" + state.hexdigest()), text.finish()

    async def _verdict(self, listed: ListedObject, file_path: str, head: ObjectHead) -> bool:
        """Text or not, by ranges, where anything hangs on it; otherwise what the media type says."""
        by_type = media_type_of(file_path, head.media_type, True)
        if is_binary(by_type, True):
            return False
        is_skill_md = file_path.rpartition("/")[2] == SKILL_MD  # must be text, whatever is allowed
        if self._options.allow_binary and not is_skill_md and not needs_bytes(file_path, head.media_type):
            return True
        return (await self._look_at_ends(listed))[2]

    async def _look_at_ends(self, listed: ListedObject) -> tuple[ObjectHead, str | None, bool]:
        """Head, stored type, and the verdict on the first and the last bytes."""
        probe = self._options.probe_bytes
        first = await self._store.get_range(listed.key, ByteRange(0, min(probe, listed.size)), if_match=listed.etag)
        check_unchanged(listed, first.head)
        if listed.size <= probe:
            return first.head, first.head.media_type, looks_like_utf8(first.data, None)
        tail = ByteRange(max(probe, listed.size - probe), listed.size)
        last = await self._store.get_range(listed.key, tail, if_match=listed.etag)
        return first.head, first.head.media_type, looks_like_utf8(first.data, last.data)


def _facts(listed: ListedObject, file_path: str, stored: str | None, digest: Digest | None, is_text: bool) -> FileFacts:
    media_type = media_type_of(file_path, stored, is_text)
    return FileFacts(listed.size, digest, media_type, is_binary(media_type, is_text))


def check_unchanged(listed: ListedObject, head: ObjectHead) -> None:
    if head.size != listed.size or (listed.etag and head.etag != listed.etag):
        raise ObjectChanged(
            f"{listed.key!r}: was listed with ETag {listed.etag!r} and {listed.size} bytes, "
            f"now has {head.etag!r} and {head.size}"
        )
