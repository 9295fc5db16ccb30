"""Pages of the flat listing, kept while they stand: one page of a store's listing is many pages of skills.

What is built of a kept page is as old as the page, and says so. An old one never stands in for a store
that fails: what was built of it does.
"""

from gateway.memory.shelves import Dated, Memory, Shelf
from gateway.objects import ListPage
from gateway.tree.answers import Answers
from gateway.tree.outage import Outage
from gateway.tree.source import Source

_OBJECT_BYTES = 240
"""A listed object without the characters of its key."""

_Asked = tuple[str, str | None]
"""Directory below the prefix, empty for all of it, and the token of the page."""


class Listings:
    """The listings of everything under the prefix of one source, or under a directory of it, page by page."""

    def __init__(self, source: Source, memory: Memory, outage: Outage) -> None:
        self._source = source
        shelf: Shelf[_Asked, ListPage] = Shelf(memory, "listing", _weight)
        self._pages: Answers[_Asked, ListPage] = Answers(shelf, source.options, outage, source.now)

    async def page(self, root: str, token: str | None) -> Dated[ListPage]:
        """The page that a continuation token names, the first for None, of a directory, the whole tree for "".

        Errors as of `ObjectStore.list_page`.
        """

        async def question() -> Dated[ListPage]:
            asked_at, keys = self._source.now(), self._source.options.list_keys
            prefix = self._source.keys.directory_prefix(tuple(root.split("/")) if root else ())
            page = await self._source.store.list_page(prefix, token=token, max_keys=keys)
            return Dated(page, asked_at)

        dated = await self._pages.ask_fresh((root, token), question)
        assert dated is not None
        return dated

    def forget_all(self) -> None:
        self._pages.forget_all()


def _weight(page: ListPage) -> int:
    return sum(_OBJECT_BYTES + len(listed.key) for listed in page.objects)
