"""Who a verified token speaks for. Pure.

Source: RFC 9068 sections 2.2 and 2.2.3; RFC 8693 section 4.2 (`scope`); OpenID Connect Core section 2 (`azp`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

Claims = Mapping[str, object]

API_KEY_ISSUER = "urn:skills-gateway:api-key"
"""The issuer of our own keys; no provider can have it, because theirs are URLs."""

# `client_id` is the standard's; Keycloak and Auth0 send `azp`, Okta `cid`, Entra's first version `appid`.
_CLIENT_CLAIMS = ("client_id", "azp", "cid", "appid")
# Entra and Okta call it `scp`.
_SCOPE_CLAIMS = ("scope", "scp")


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller that is known. `expires_at` is in whole seconds of the Unix clock, None for never."""

    issuer: str
    client: str
    subject: str
    scopes: frozenset[str]
    groups: frozenset[str]
    claims: Claims
    expires_at: int | None = None


def principal_of(claims: Claims, groups_claim: str) -> Principal:
    """The principal of claims that were verified and checked: `iss`, `sub` and `exp` are there."""
    return Principal(
        issuer=cast("str", claims["iss"]),
        client=next((value for name in _CLIENT_CLAIMS if isinstance(value := claims.get(name), str) and value), ""),
        subject=cast("str", claims["sub"]),
        scopes=frozenset(scope for name in _SCOPE_CLAIMS for scope in _words(claims.get(name))),
        groups=frozenset(_names(_claim_at(claims, groups_claim))),
        claims=MappingProxyType(dict(claims)),
        expires_at=int(cast("float", claims["exp"])),
    )


def _words(value: object) -> tuple[str, ...]:
    """Scopes, as a text with blanks between them or as a list; whatever has another form grants nothing."""
    return tuple(value.split()) if isinstance(value, str) else _names(value)


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    if not isinstance(value, list):
        return ()
    return tuple(name for name in cast("list[object]", value) if isinstance(name, str) and name)


def _claim_at(claims: Claims, name: str) -> object:
    """The claim of that name, or the one that a path with dots leads to (`realm_access.roles`)."""
    if name in claims:
        return claims[name]
    value: object = claims
    for step in name.split("."):
        value = _object(value).get(step)
    return value


def _object(value: object) -> Claims:
    return cast("Claims", value) if isinstance(value, Mapping) else {}
