"""Says who calls: from memory when the token was seen before, else by the keys of those who are trusted.

Tokens are remembered by their SHA-256, never as they are, until they expire and for five minutes at most: so long a key
that its provider withdrew still works. What was refused is not remembered. Source: RFC 9068 section 4.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256

import httpx2
from cachetools import LRUCache

from gateway.auth.apikeys import API_KEY_START, ApiKey, ApiKeys
from gateway.auth.discovery import fetch_keys
from gateway.auth.issuer import TrustedIssuer
from gateway.auth.keys import IssuerKeys, KeyTimes
from gateway.auth.keyset import KeySet
from gateway.auth.principal import Principal
from gateway.auth.verifier import TokenVerifier, TrustedKeys


@dataclass(frozen=True, slots=True)
class AuthOptions:
    """Who is trusted, and for how long. Raises ValueError when an issuer comes twice, or nobody is trusted."""

    issuers: tuple[TrustedIssuer, ...] = ()
    api_keys: tuple[ApiKey, ...] = ()
    leeway_s: float = 30.0
    key_times: KeyTimes = field(default_factory=KeyTimes)
    max_remembered: int = 4096
    remember_s: float = 300.0

    def __post_init__(self) -> None:
        names = [issuer.issuer for issuer in self.issuers]
        if len(set(names)) < len(names):
            raise ValueError(f"an issuer is named twice in {', '.join(names)}")
        if not names and not self.api_keys:
            raise ValueError("nobody is trusted: there is no issuer and no API key")


@dataclass(frozen=True, slots=True)
class _Remembered:
    principal: Principal
    until: float


class Authenticator:
    """Verifies bearer tokens between `opened()` and its end. `clock` is that of Unix, `now` never goes back."""

    def __init__(
        self,
        options: AuthOptions,
        *,
        clock: Callable[[], float] = time.time,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options, self._clock, self._now = options, clock, now
        self._api_keys = ApiKeys(options.api_keys)
        self._verifier: TokenVerifier | None = None
        self._seen = LRUCache[bytes, _Remembered](options.max_remembered)

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator["Authenticator"]:
        """To be entered on the loop that serves; asks nobody anything yet."""
        # In a thread: reading the certificates of the machine takes 70 ms.
        client = await asyncio.to_thread(httpx2.AsyncClient, timeout=self.options.key_times.timeout_s)
        async with client:
            trusted = {issuer.issuer: self._trusted(client, issuer) for issuer in self.options.issuers}
            self._verifier = TokenVerifier(trusted, leeway_s=self.options.leeway_s)
            try:
                yield self
            finally:
                self._verifier = None
                for one in trusted.values():
                    one.keys.close()

    def _trusted(self, client: httpx2.AsyncClient, issuer: TrustedIssuer) -> TrustedKeys:
        times = self.options.key_times

        async def ask() -> KeySet:
            return await fetch_keys(client, issuer, timeout_s=times.timeout_s)

        return TrustedKeys(issuer, IssuerKeys(issuer.issuer, ask, times, self._now))

    def remembered(self, token: bytes) -> Principal | None:
        """Who a token speaks for that was verified before and still is good; None says nothing."""
        try:
            seen = self._seen[sha256(token).digest()]
        except KeyError:
            return None
        return seen.principal if self._clock() < seen.until else None

    async def authenticate(self, token: str) -> Principal:
        """Who the token speaks for. Raises TokenRefused, or IdentityUnavailable when that cannot be found out now."""
        principal = self.remembered(token.encode())
        if principal is None:
            principal = await self._verify(token)
            self._remember(token, principal)
        return principal

    async def _verify(self, token: str) -> Principal:
        if token.startswith(API_KEY_START):
            return self._api_keys.verify(token)
        if self._verifier is None:
            raise RuntimeError("the authenticator is not open")
        return await self._verifier.verify(token, now=self._clock())

    def _remember(self, token: str, principal: Principal) -> None:
        until = self._clock() + self.options.remember_s
        if principal.expires_at is not None:
            until = min(until, principal.expires_at)
        self._seen[sha256(token.encode()).digest()] = _Remembered(principal, until)
