"""Contents of published files: read by digest, verified, and kept for as long as there is room.

A digest names the same bytes for ever, so nothing that is kept grows old. A blob that is missing or has
other bytes fails the files that need it, and nothing else.
"""

from collections.abc import Callable

from gateway.errors import BlobRefused, ContentTooLarge, ObjectMissing, ObjectTooLarge
from gateway.memory.flights import Flights
from gateway.memory.shelves import Shelf, new_memory
from gateway.provider import Content
from gateway.releases.options import ReleaseOptions
from gateway.releases.repository import Repository
from gateway.skill.model import Digest, SkillFile, digest_of

_ContentKey = tuple[Digest, str, bool]
"""Digest, media type, and whether it may be binary: all that a content consists of."""


class Blobs:
    """Contents of the files of one repository."""

    def __init__(self, repository: Repository, options: ReleaseOptions, now: Callable[[], float]) -> None:
        self._repository, self._max_file_bytes = repository, options.max_file_bytes
        memory = self.memory = new_memory(options.content_cache_bytes)
        self._kept: Shelf[_ContentKey, Content] = Shelf(memory, "content", lambda content: len(content.data))
        self._flights: Flights[Digest, bytes] = Flights(now)

    def known(self, file: SkillFile, *, allow_binary: bool) -> Content | None:
        """The content of a file, if it may be sent and is remembered; else `read` asks for it."""
        if file.size > self._max_file_bytes:
            return None
        kept = self._kept.find_warm((file.digest, file.media_type, allow_binary))
        return None if kept is None else kept.value

    async def read(self, file: SkillFile, named: str, *, allow_binary: bool) -> Content:
        """The content of a file; `named` is how errors call it. Raises ContentTooLarge, BlobRefused."""
        if file.size > self._max_file_bytes:
            limit = self._max_file_bytes
            raise ContentTooLarge(f"{named} has {file.size} bytes; one read sends at most {limit}")
        key = (file.digest, file.media_type, allow_binary)
        if (kept := self._kept.find(key)) is not None:
            return kept.value
        data = await self._flights.join(file.digest, lambda: self._fetch(file, named))
        # Somebody who waited for the same bytes may have made the content meanwhile.
        if (kept := self._kept.get(key)) is not None:
            return kept.value
        content = Content(data, file.media_type, allow_binary=allow_binary)
        self._kept.put(key, content)
        return content

    async def _fetch(self, file: SkillFile, named: str) -> bytes:
        key = self._repository.layout.blob(file.digest)
        try:
            data = (await self._repository.store.get(key, max_bytes=file.size)).data
        except ObjectMissing:
            raise BlobRefused(f"{named}: its blob {key!r} is not there; publish it again") from None
        except ObjectTooLarge:
            raise BlobRefused(f"{named}: its blob {key!r} has more than {file.size} bytes") from None
        if digest_of(data) != file.digest:
            raise BlobRefused(f"{named}: its blob {key!r} has other bytes, of {digest_of(data)}")
        return data
