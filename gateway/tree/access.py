"""Whether a store that denies an object denies them all: then nothing may be served as if that were everything.

An object of its own key, owner or policy takes its skill away; a gateway that may read nothing at all must fail,
or it would show an empty catalogue. A few other objects of the tree tell which it is.
"""

from itertools import islice

from gateway.errors import AccessDenied, ClockSkew, ObjectArchived, ObjectMissing, StoreError
from gateway.memory.flights import Flights
from gateway.objects import ByteRange, ListedObject
from gateway.tree.listings import Listings
from gateway.tree.source import Source
from gateway.tree.together import together

_OTHERS = 16
"""Objects that are tried, spread over the first page of the listing."""
_STANDS_S = 5.0


class Access:
    """What may be read of one tree."""

    def __init__(self, source: Source, listings: Listings) -> None:
        self._store, self._now, self._listings = source.store, source.now, listings
        self._flights: Flights[str, bool] = Flights(source.now)
        self._said, self._said_at = False, float("-inf")

    async def check_alone(self, denied: StoreError) -> None:
        """Raises the error when it is not about its object alone."""
        if isinstance(denied, ObjectArchived):
            return
        if isinstance(denied, ClockSkew) or denied.key is None or not await self._others_are_readable():
            raise denied

    async def _others_are_readable(self) -> bool:
        if self._now() - self._said_at >= _STANDS_S:
            self._said = await self._flights.join("others", self._try_others)
            self._said_at = self._now()
        return self._said

    async def _try_others(self) -> bool:
        page = (await self._listings.page("", None)).value
        objects = [listed for listed in page.objects if listed.size]
        some = islice(objects, 0, None, max(1, len(objects) // _OTHERS))
        return any(await together(self._is_readable(listed) for listed in some))

    async def _is_readable(self, listed: ListedObject) -> bool:
        try:
            await self._store.get_range(listed.key, ByteRange(0, 1))
        except (AccessDenied, ObjectArchived, ObjectMissing):
            return False
        return True
