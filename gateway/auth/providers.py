"""Providers that people log in at: what their metadata says, kept for a while, and codes exchanged for tokens.

What was found out is kept for five minutes, and that nothing could be for five seconds, as anybody may make us ask.
While a provider is down, what it said last holds. Source: RFC 8414 section 3; RFC 6749 section 4.1.3.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx2

from gateway.auth.codeflow import CodeClient, CodeProvider, access_token_of, error_of, provider_of, token_request
from gateway.auth.discovery import fetch_metadata
from gateway.auth.documents import post_form
from gateway.auth.refusals import CodeRefused, IdentityUnavailable

logger = logging.getLogger(__name__)

_KEPT_S, _RETRY_S = 300.0, 5.0
_ANSWERS = (200, 400, 401)


@dataclass(frozen=True, slots=True)
class _Known:
    provider: CodeProvider | None
    until: float


class CodeProviders:
    """Asks through `http`, each question within `timeout_s`; `now` counts seconds and never goes back."""

    def __init__(
        self, http: httpx2.AsyncClient, issuers: Sequence[str], timeout_s: float, now: Callable[[], float]
    ) -> None:
        self._http, self._timeout_s, self._now = http, timeout_s, now
        self._known = {issuer: _Known(None, now()) for issuer in issuers}
        self._turns = {issuer: asyncio.Lock() for issuer in issuers}

    async def find(self, issuer: str) -> CodeProvider:
        """Raises IdentityUnavailable when it is not known how to log in there."""
        if self._now() >= self._known[issuer].until:
            async with self._turns[issuer]:
                if self._now() >= self._known[issuer].until:
                    self._known[issuer] = await self._ask(issuer)
        if (provider := self._known[issuer].provider) is None:
            raise IdentityUnavailable(f"it is not known how to log in at {issuer}")
        return provider

    async def redeem(self, provider: CodeProvider, client: CodeClient, code: str, verifier: str) -> str:
        """The access token for a code, not verified yet. Raises CodeRefused or IdentityUnavailable."""
        form, headers = token_request(provider, client, code, verifier)
        try:
            async with asyncio.timeout(self._timeout_s):
                status, document = await post_form(self._http, provider.token_url, form, headers, _ANSWERS)
        except TimeoutError:
            raise IdentityUnavailable(f"{provider.token_url} did not answer within {self._timeout_s:g} s") from None
        if status != _ANSWERS[0]:
            raise CodeRefused(error_of(document))
        return access_token_of(document, provider)

    async def _ask(self, issuer: str) -> _Known:
        try:
            async with asyncio.timeout(self._timeout_s):
                return _Known(provider_of(await fetch_metadata(self._http, issuer)), self._now() + _KEPT_S)
        except TimeoutError:
            logger.warning("nobody can log in at %s: no answer within %g s", issuer, self._timeout_s)
        except IdentityUnavailable as fault:
            logger.warning("nobody can log in at %s: %s", issuer, fault)
        return _Known(self._known[issuer].provider, self._now() + _RETRY_S)
