"""Byte-range probes: what one object is, without downloading it where that can be helped.

`SKILL.md` is known from one ranged GET of its head, a supporting file from its HEAD (size, stored
type, stored SHA-256) and, where the store keeps no checksum, from one bounded streamed hash. Text or
binary is judged on a range at each end, or exactly when all bytes went by anyway. Every answer is
cached by (key, ETag, size), under which it can never change.

Source: RFC 9110 section 14 (ranges); S3 HeadObject with ChecksumMode.
"""

import asyncio
from dataclasses import dataclass, replace
from hashlib import sha256

from gateway.errors import ObjectChanged, ObjectMissing
from gateway.objects import ByteRange, ListedObject, ObjectHead
from gateway.skill.assembly import FileFacts, HeadRefused, head_of
from gateway.skill.frontmatter import MAX_HEAD_BYTES
from gateway.skill.media import Utf8Check, is_binary, looks_like_utf8, media_type_of, needs_bytes
from gateway.skill.model import SKILL_MD, Digest, Frontmatter, digest_of
from gateway.tree.flights import Flights
from gateway.tree.memory import Memory, Shelf, weight_of_json
from gateway.tree.reading import CacheKey, Contents, cache_key
from gateway.tree.source import Source

_CONCURRENT_HASHES = 4
_FACTS_BYTES = 500
"""What one remembered answer weighs, about: key, ETag, digest and their objects."""


@dataclass(frozen=True, slots=True)
class SkillHead:
    """The head of a `SKILL.md`: its frontmatter, and the file itself."""

    frontmatter: Frontmatter
    facts: FileFacts


class Prober:
    """Asks one store about single objects."""

    def __init__(self, source: Source, memory: Memory, contents: Contents) -> None:
        """Answers are kept in `memory`, and in `contents` the bytes of files that were read whole for them."""
        self._store, self._options, self._contents = source.store, source.options, contents
        self._hashing = asyncio.Semaphore(_CONCURRENT_HASHES)
        self._heads: Shelf[CacheKey, SkillHead | HeadRefused] = Shelf(memory, "head", _weight_of_head)
        self._facts: Shelf[CacheKey, FileFacts] = Shelf(memory, "facts", lambda _: _FACTS_BYTES)
        self._looks: Flights[CacheKey, FileFacts] = Flights(source.now)
        self._keeps_checksums = True

    async def skill_head(self, listed: ListedObject) -> SkillHead | HeadRefused:
        """Frontmatter and facts of a `SKILL.md`.

        Raises ObjectChanged and ObjectMissing when the object is no longer the one that was listed.
        """
        key = cache_key(listed)
        if (known := self._heads.get(key)) is not None:
            return known.value
        head = await self._look_at_head(listed)
        if listed.etag:
            self._heads.put(key, head)
        return head

    async def file(self, listed: ListedObject, file_path: str) -> FileFacts:
        """Facts of a supporting file. Raises ObjectChanged, ObjectMissing."""
        key = cache_key(listed)
        if not listed.etag:
            return await self._look(listed, file_path)
        if (known := self._facts.get(key)) is not None:
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

    async def _look_at_head(self, listed: ListedObject) -> SkillHead | HeadRefused:
        data, frontmatter = await self._head(listed)
        if isinstance(frontmatter, HeadRefused):
            return frontmatter
        if len(data) == listed.size:
            return SkillHead(frontmatter, self._facts_of(listed, SKILL_MD, None, data))
        facts = await self.file(listed, SKILL_MD)
        is_text = looks_like_utf8(data, b"")  # the rest was judged with the facts
        return SkillHead(frontmatter, replace(facts, is_binary=facts.is_binary or not is_text))

    async def _head(self, listed: ListedObject) -> tuple[bytes, Frontmatter | HeadRefused]:
        for head_bytes in (self._options.head_bytes, MAX_HEAD_BYTES):
            data = await self._read_head(listed, head_bytes)
            head = head_of(data, is_whole=len(data) == listed.size)
            if head is not None:
                return data, head
        raise AssertionError("so long a head is either frontmatter or refused")

    async def _read_head(self, listed: ListedObject, head_bytes: int) -> bytes:
        if not listed.size:
            return b""
        span = ByteRange(0, min(listed.size, head_bytes))
        part = await self._store.get_range(listed.key, span, if_match=listed.etag)
        _check_unchanged(listed, part.head)
        return part.data

    async def _look(self, listed: ListedObject, file_path: str) -> FileFacts:
        if not listed.size:
            return _facts(listed, file_path, None, digest_of(b""), True)
        if self._is_read_whole(listed):
            part = await self._store.get_range(listed.key, ByteRange(0, listed.size), if_match=listed.etag)
            _check_unchanged(listed, part.head)
            return self._facts_of(listed, file_path, part.head.media_type, part.data)
        head = await self._store.head(listed.key)
        _check_unchanged(listed, head)
        self._keeps_checksums = head.sha256 is not None
        digest, is_text = head.sha256, None
        if digest is None and listed.size <= self._options.max_hash_bytes:
            digest, is_text = await self._hash(listed)
        if is_text is None:
            is_text = await self._verdict(listed, file_path, head)
        return _facts(listed, file_path, head.media_type, digest, is_text)

    def _is_read_whole(self, listed: ListedObject) -> bool:
        """Whether all bytes of a file cost no more calls than a look at it."""
        if not self._options.allow_binary and listed.size <= 2 * self._options.probe_bytes:
            return True  # the bytes are wanted for the verdict
        # Without a checksum its HEAD would be followed by a GET; a larger file's HEAD tells when that has changed.
        return not self._keeps_checksums and listed.size <= self._options.small_file_bytes

    def _facts_of(self, listed: ListedObject, file_path: str, stored: str | None, data: bytes) -> FileFacts:
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
        _check_unchanged(listed, head)
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
        _check_unchanged(listed, first.head)
        if listed.size <= probe:
            return first.head, first.head.media_type, looks_like_utf8(first.data, None)
        tail = ByteRange(max(probe, listed.size - probe), listed.size)
        last = await self._store.get_range(listed.key, tail, if_match=listed.etag)
        return first.head, first.head.media_type, looks_like_utf8(first.data, last.data)


def _facts(listed: ListedObject, file_path: str, stored: str | None, digest: Digest | None, is_text: bool) -> FileFacts:
    media_type = media_type_of(file_path, stored, is_text)
    return FileFacts(listed.size, digest, media_type, is_binary(media_type, is_text))


def _check_unchanged(listed: ListedObject, head: ObjectHead) -> None:
    if head.size != listed.size or (listed.etag and head.etag != listed.etag):
        raise ObjectChanged(
            f"{listed.key!r}: was listed with ETag {listed.etag!r} and {listed.size} bytes, "
            f"now has {head.etag!r} and {head.size}"
        )


def _weight_of_head(head: SkillHead | HeadRefused) -> int:
    return _FACTS_BYTES + (weight_of_json(dict(head.frontmatter)) if isinstance(head, SkillHead) else len(head.detail))
