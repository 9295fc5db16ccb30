"""Following a channel: which release is current, known in memory, changed all at once or not at all.

A look asks for the pointer's ETag; a new one is followed to the index, which is verified before it
replaces the old one. Whatever fails on the way keeps what is served, is logged when it begins and when
it is over, and is nobody's error unless there never was a release.

Source: RFC 9110 section 8.8.3 (ETag).
"""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

from gateway.errors import ChannelMissing, GatewayError, ObjectMissing, ReleaseError, StoreUnavailable
from gateway.releases.moves import labels_by_release
from gateway.releases.opened import NOTHING, Indexes, OpenRelease

logger = logging.getLogger(__name__)

_NO_LABELS: Mapping[str, str] = {}

OnSwap = Callable[[OpenRelease | None, OpenRelease], Awaitable[None]]
"""Told of the release before, None on the first, and the one that is current now."""


async def tell_nobody(before: OpenRelease | None, after: OpenRelease) -> None:
    """For a follower that nobody listens to."""


def _clock() -> datetime:
    return datetime.now(UTC)


class Follower:
    """One channel of one repository, or one release for ever.

    `failed_looks` counts looks that failed, by the reason of their error.
    """

    def __init__(
        self,
        indexes: Indexes,
        channel: str,
        *,
        release: str = "",
        on_swap: OnSwap = tell_nobody,
        now: Callable[[], datetime] = _clock,
    ) -> None:
        """`release` is the id of one to serve whatever the channel says; then nothing is asked once it is there."""
        self.indexes = indexes
        self._channel, self._release, self._on_swap, self._now = channel, release, on_swap, now
        self._looked_at: datetime | None = None
        self.failed_looks = Counter[str]()
        self._current: OpenRelease | None = None
        self._etag = self._moved_at = ""
        self._labels: Mapping[str, Mapping[str, str]] = {}
        self._failure: GatewayError | None = None

    @property
    def current(self) -> OpenRelease | None:
        return self._current

    @property
    def failure(self) -> GatewayError | None:
        """What keeps the channel from being followed now."""
        return self._failure

    @property
    def channel(self) -> str:
        """The name of the channel that is followed; empty for one release for ever."""
        return "" if self._release else self._channel

    @property
    def looked_at(self) -> datetime | None:
        """When the last look began that told where the channel points; None before that, and without a channel."""
        return self._looked_at

    @property
    def moved_at(self) -> str:
        """When the channel was pointed where it points, as it was written; empty where that is not known."""
        return self._moved_at

    def labels_of(self, release: str) -> Mapping[str, str]:
        """The labels that a release was published with, or else came to the channel with, as far as that remembers."""
        return self._labels.get(release, _NO_LABELS)

    def serving(self) -> OpenRelease:
        """What to answer from: an empty release where there is no channel. Raises what keeps it from being known."""
        if self._current is not None:
            return self._current
        if isinstance(self._failure, ChannelMissing):
            return NOTHING
        raise self._why_none()

    async def ask(self) -> None:
        """Raises what keeps the first release from being served, also when there is no such channel."""
        if self._current is None:
            raise self._why_none()

    async def look(self) -> bool:
        """Look once, and swap when there is something new; whether there was. Raises no GatewayError.

        One look at a time.
        """
        began = self._now()
        try:
            found = await self._find()
        except GatewayError as error:
            self._fail(error)
            return False
        if not self._release:
            self._looked_at = began
        self._end_failure()
        before = self._current
        if found is None or (before is not None and before.digest == found.digest):
            return False
        self._current = found
        was = "nothing" if before is None else f"release {before.id}"
        logger.info("%s: release %s is served, %d skills; it was %s", self._what, found.id, found.index.skills, was)
        await self._on_swap(before, found)
        return True

    async def _find(self) -> OpenRelease | None:
        """The release to serve; None when that is surely the current one."""
        if self._release:
            return None if self._current else await self.indexes.find(self._release)
        if self._current is not None and await self._is_unmoved():
            return None
        held = await self.indexes.repository.pointer(self._channel)
        if held is None:
            raise self._channel_missing()
        move = held.pointer.current
        found = await self.indexes.open(move.release, move.index)
        self._etag, self._moved_at = held.etag, move.at
        self._labels = labels_by_release(held.pointer.moves)
        return found

    async def _is_unmoved(self) -> bool:
        repository = self.indexes.repository
        try:
            head = await repository.store.head(repository.layout.channel(self._channel))
        except ObjectMissing:
            raise self._channel_missing() from None
        return bool(head.etag) and head.etag == self._etag

    def _channel_missing(self) -> ChannelMissing:
        under = self.indexes.repository.layout.channels
        return ChannelMissing(f"there is no channel {self._channel!r} under {under!r}; publish to it first")

    def _fail(self, error: GatewayError) -> None:
        self.failed_looks[error.reason] += 1
        is_new = self._failure is None or _state(error) != _state(self._failure)
        self._failure = error
        if is_new:
            kept = "nothing is served" if self._current is None else f"release {self._current.id} is served on"
            logger.warning("%s: %s: %s: %s", self._what, kept, error.reason, error)

    def _end_failure(self) -> None:
        if self._failure is not None:
            logger.info("%s: can be followed again", self._what)
            self._failure = None

    def _why_none(self) -> GatewayError:
        if self._failure is None:
            return StoreUnavailable(f"{self._what}: the store has not answered yet")
        return self._failure.with_traceback(None)

    @property
    def _what(self) -> str:
        return f"release {self._release!r}" if self._release else f"channel {self._channel!r}"


def _state(error: GatewayError) -> str:
    """What makes two failures the same one: a store words the same trouble in many ways."""
    return f"{error.reason}: {error}" if isinstance(error, ReleaseError) else error.reason
