"""Access tokens of several identity providers, verified: the text in, the principal out.

PyJWT checks the signature, with a key that is bound to one algorithm; the claims are checked here, by a
clock that is passed in. Source: RFC 9068 section 4; RFC 8725 section 3.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from jwt import PyJWS, PyJWTError

from gateway.auth.claims import check_claims
from gateway.auth.issuer import TrustedIssuer
from gateway.auth.keys import IssuerKeys
from gateway.auth.principal import Principal, principal_of
from gateway.auth.refusals import TokenRefused
from gateway.auth.token import UnverifiedToken, read_token


@dataclass(frozen=True, slots=True)
class TrustedKeys:
    """A provider and its keys."""

    issuer: TrustedIssuer
    keys: IssuerKeys


class TokenVerifier:
    """Verifies tokens of the providers given; `leeway_s` is what clocks may differ."""

    def __init__(self, trusted: Mapping[str, TrustedKeys], *, leeway_s: float = 30.0) -> None:
        """`trusted` by issuer."""
        self._trusted, self._leeway_s = trusted, leeway_s
        self._signatures = PyJWS()

    async def verify(self, text: str, *, now: float) -> Principal:
        """Who `text` speaks for at `now`, in seconds of the Unix clock.

        Raises TokenRefused for a token that is not to be trusted, IdentityUnavailable when nobody can say.
        """
        token = read_token(text)
        trusted = self._trusted.get(token.issuer)
        if trusted is None:
            raise TokenRefused("issuer")
        if token.algorithm not in trusted.issuer.algorithms:
            raise TokenRefused("algorithm")
        # First what costs nothing, so that a token of yesterday never makes us ask the provider for its key.
        check_claims(token.claims, trusted.issuer, now=now, leeway_s=self._leeway_s)
        await self._check_signature(token, trusted)
        return principal_of(token.claims, trusted.issuer.groups_claim)

    async def _check_signature(self, token: UnverifiedToken, trusted: TrustedKeys) -> None:
        key = await trusted.keys.find(token.key_id, token.algorithm)
        try:
            self._signatures.decode(token.text, key, algorithms=[token.algorithm])
        except PyJWTError:
            raise TokenRefused("signature") from None
