"""Markdown rendered once for each file: in a thread of its own, one at a time, as a long one takes a while."""

import asyncio

from cachetools import LRUCache

from gateway.page.links import Resolve
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
                made = await asyncio.to_thread(_render, text, link, image)
            try:
                self._known[asked] = made
            except ValueError:  # larger than all that is kept
                return made
        return self._known[asked]


def _render(text: str, link: Resolve, image: Resolve) -> str | None:
    # Here and not at the top: what renders takes its time to load, which a start need not wait for.
    from gateway.page.markdown import render

    return render(text, link, image)


def body_of(text: str) -> str:
    """A `SKILL.md` without its frontmatter, if it has one."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return text
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "".join(lines[number + 1 :])
    return text
