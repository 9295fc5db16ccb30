"""The keys of one provider, kept while they are good and asked for no more often than needed.

One question at a time, whoever asks. A key that is not known is asked for once in a cooldown, because
anybody can make up a key id. While the provider is down the keys it published last stay good, for a
day at most, and only the first to find it down waits for it. No waiter is left waiting by another that goes away.

Nothing is awaited between looking at the state and changing it, so the loop is all the lock there is.
Source: RFC 7517 section 5; OpenID Connect Core section 10.1.1 (rotation).
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from jwt import PyJWK

from gateway.auth.keyset import KeySet
from gateway.auth.refusals import IdentityUnavailable, TokenRefused

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """In seconds: how long keys are taken as they are, how long at most while the provider is down, how long between
    two questions for a key that is not there, how long after one that failed, and how long one may take."""

    ttl_s: float = 300.0
    stale_s: float = 86_400.0
    cooldown_s: float = 30.0
    retry_s: float = 5.0
    timeout_s: float = 5.0


class IssuerKeys:
    """The keys of the provider that `ask` asks; `now` counts seconds and never goes back."""

    def __init__(self, name: str, ask: Callable[[], Awaitable[KeySet]], times: KeyTimes, now: Callable[[], float]):
        self._name, self._ask, self._times, self._now = name, ask, times, now
        self._keys: KeySet | None = None
        self._keys_of = self._asked_at = -math.inf
        self._is_failing = False
        self._flight: asyncio.Task[None] | None = None

    async def find(self, key_id: str | None, algorithm: str) -> PyJWK:
        """The key. Raises TokenRefused when the provider has none such, IdentityUnavailable when it cannot say."""
        key = self._known(key_id, algorithm)
        if key is not None and self._now() - self._keys_of < self._times.ttl_s:
            return key
        flight = self._refresh()
        if flight is not None and (key is None or not self._is_failing):
            await asyncio.wait((flight,))
            key = self._known(key_id, algorithm)
        if key is not None:
            return key
        if self._is_failing:
            raise IdentityUnavailable(f"the keys of {self._name} cannot be had", self._retry_after_s())
        raise TokenRefused("unknown_key")

    def close(self) -> None:
        """Give up what is being asked."""
        if self._flight is not None:
            self._flight.cancel()

    def _known(self, key_id: str | None, algorithm: str) -> PyJWK | None:
        if self._keys is None or self._now() - self._keys_of >= self._times.stale_s:
            return None
        return self._keys.find(key_id, algorithm)

    def _refresh(self) -> asyncio.Task[None] | None:
        """The question under way, or a new one, or None when it is too early for one."""
        if self._flight is None and self._now() - self._asked_at >= self._pause_s:
            self._asked_at = self._now()
            self._flight = asyncio.create_task(self._fly())
        return self._flight

    @property
    def _pause_s(self) -> float:
        return self._times.retry_s if self._is_failing else self._times.cooldown_s

    async def _fly(self) -> None:
        try:
            self._keys, self._keys_of = await self._ask(), self._asked_at
            self._land()
        except IdentityUnavailable as fault:
            self._fall(str(fault))
        except Exception:
            self._fall("see above")
            logger.exception("the keys of %s: this should not happen", self._name)
        finally:
            self._flight = None

    def _land(self) -> None:
        if self._is_failing:
            logger.warning("the keys of %s are there again", self._name)
        self._is_failing = False

    def _fall(self, why: str) -> None:
        if not self._is_failing:
            kept = "none is known" if self._keys is None else f"the last ones stay good for {self._times.stale_s:g} s"
            logger.warning("the keys of %s cannot be had, %s: %s", self._name, kept, why)
        self._is_failing = True

    def _retry_after_s(self) -> int:
        return max(1, math.ceil(self._asked_at + self._pause_s - self._now()))
