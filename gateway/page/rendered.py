"""Markdown rendered once for each file: in a thread of its own, one at a time, as a long one takes a while."""

import asyncio

from cachetools import LRUCache

from gateway.page.links import Resolve
from gateway.page.markdown import render
from gateway.skill.model import digest_of

_KEPT_BYTES = 4 * 1024 * 1024


class Rendered:
    """Remembers what was rendered, by the text and by where its links can lead."""

    def __init__(self) -> None:
        self._known = LRUCache[tuple[str, str], str | None](_KEPT_BYTES, getsizeof=lambda html: 200 + len(html or ""))
        self._turn = asyncio.Semaphore(1)

    async def html(self, text: str, context: str, link: Resolve, image: Resolve) -> str | None:
        """As `render`. Two files with the same `context` have links that resolve alike."""
        asked = (digest_of(text.encode()), context)
        if asked not in self._known:
            async with self._turn:
                made = await asyncio.to_thread(render, text, link, image)
            try:
                self._known[asked] = made
            except ValueError:  # larger than all that is kept
                return made
        return self._known[asked]
