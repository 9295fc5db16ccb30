"""What must hold of the claims of a token whose signature is good. Pure: the clock is an argument.

Source: RFC 7519 section 4.1; RFC 9068 sections 2.2 and 4; RFC 8725 sections 3.8 and 3.9.
"""

from typing import cast

from gateway.auth.issuer import TrustedIssuer
from gateway.auth.principal import Claims
from gateway.auth.refusals import TokenRefused

_LAST_SECOND = 253_402_300_799
"""The end of the year 9999; what is later is no time."""


def check_claims(claims: Claims, issuer: TrustedIssuer, *, now: float, leeway_s: float) -> None:
    """Raises TokenRefused for a token that is not of `issuer`, not meant for us, or not good at `now`."""
    if claims.get("iss") != issuer.issuer:
        raise TokenRefused("issuer")
    if not set(_audiences(claims)) & set(issuer.audiences):
        raise TokenRefused("audience")
    subject, client = claims.get("sub"), claims.get("client_id", "")
    if not isinstance(subject, str) or not subject or not isinstance(client, str):
        raise TokenRefused("claims")
    _check_times(claims, now, leeway_s)


def _audiences(claims: Claims) -> list[str]:
    found = claims.get("aud")
    names = cast("list[object]", found) if isinstance(found, list) else [found]
    if not names or not all(isinstance(name, str) for name in names):
        raise TokenRefused("claims")
    return cast("list[str]", names)


def _check_times(claims: Claims, now: float, leeway_s: float) -> None:
    expires_at, not_before, issued_at = (_time(claims, name) for name in ("exp", "nbf", "iat"))
    if expires_at is None:
        raise TokenRefused("claims")
    if now >= expires_at + leeway_s:
        raise TokenRefused("expired")
    if max(not_before or 0, issued_at or 0) > now + leeway_s:
        raise TokenRefused("not_yet_valid")


def _time(claims: Claims, name: str) -> float | None:
    """Seconds of the Unix clock, or None when the claim is not there."""
    if name not in claims:
        return None
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LAST_SECOND:
        raise TokenRefused("claims")
    return value
