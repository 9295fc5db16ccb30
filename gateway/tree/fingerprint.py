"""Whether anything under a prefix changed, by its listing alone: every key with its ETag and size.

One listing call for a thousand keys each time, so it is off unless somebody asks for it. Source: S3
ListObjectsV2.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from hashlib import sha256

from gateway.errors import StoreError, StoreMisbehaved
from gateway.objects import ObjectStore
from gateway.tree.options import TreeOptions

logger = logging.getLogger(__name__)


async def fingerprint(store: ObjectStore, prefix: str) -> bytes:
    """The same bytes for as long as nothing under `prefix` changes. Raises what the store raises."""
    token: str | None = None
    tokens_seen: set[str] = set()
    made = sha256()
    while True:
        page = await store.list_page(prefix, token=token)
        for listed in page.objects:
            made.update(json.dumps([listed.key, listed.etag, listed.size]).encode())
        if (token := page.next_token) is None:
            return made.digest()
        if token in tokens_seen:
            raise StoreMisbehaved(f"listing {prefix!r}: the store gave the same continuation token twice")
        tokens_seen.add(token)


class TreeWatch:
    """Tells when a tree changed, once nothing of before is served any more."""

    def __init__(self, store: ObjectStore, options: TreeOptions, tell: Callable[[], Awaitable[object]]) -> None:
        self._store, self._options, self._tell = store, options, tell
        self._last: bytes | None = None
        self._failed = False

    async def look(self) -> bool:
        """Look once; whether there was a change to tell of. Raises no StoreError. One look at a time."""
        try:
            found = await fingerprint(self._store, self._options.prefix)
        except StoreError as error:
            if not self._failed:
                logger.warning("whether the tree changed cannot be seen for now: %s", error)
            self._failed = True
            return False
        self._failed = False
        before, self._last = self._last, found
        if before is None or before == found:
            return False
        # Who hears of it asks at once, and must not get an answer from before.
        await asyncio.sleep(self._options.freshness_s)
        logger.info("the tree changed")
        await self._tell()
        return True
