"""A JSON Web Token taken apart, before anybody knows whether it is true. Pure.

Enough to find out whose keys to ask for, and to refuse what no key can make good. Nothing is parsed of
a token that is too long. Source: RFC 7515 sections 3, 4.1 and 7.1; RFC 9068 section 4; RFC 8725 section 3.11.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import orjson

from gateway.auth.refusals import TokenRefused

MAX_TOKEN_BYTES = 8192

_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)", re.ASCII)
_UNSIGNED = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.", re.ASCII)
_TYPES = frozenset({"at+jwt", "jwt"})


@dataclass(frozen=True, slots=True)
class UnverifiedToken:
    """What a token says of itself. `text` is the token: it must not go anywhere but to the verifier."""

    text: str
    algorithm: str
    key_id: str | None
    issuer: str
    claims: Mapping[str, object]

    def __repr__(self) -> str:
        return "UnverifiedToken(…)"


def read_token(text: str) -> UnverifiedToken:
    """Raises TokenRefused for what is no signed JWT of a type and form that an access token may have."""
    if len(text) > MAX_TOKEN_BYTES:
        raise TokenRefused("too_long")
    found = _COMPACT.fullmatch(text)
    if not found:
        raise TokenRefused("algorithm" if _UNSIGNED.fullmatch(text) else "malformed")
    header, claims = _object(found[1]), _object(found[2])
    algorithm, key_id, issuer = header.get("alg"), header.get("kid"), claims.get("iss")
    # `crit` names extensions that whoever does not know them must refuse; none is known here.
    if not isinstance(algorithm, str) or not isinstance(key_id, str | None) or "crit" in header or "b64" in header:
        raise TokenRefused("malformed")
    if not _is_access_token(header.get("typ")):
        raise TokenRefused("type")
    if not isinstance(issuer, str):
        raise TokenRefused("claims")
    return UnverifiedToken(text, algorithm, key_id, issuer, claims)


def _object(segment: str) -> dict[str, object]:
    try:
        value = orjson.loads(base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4)))
    except ValueError:
        raise TokenRefused("malformed") from None
    if not isinstance(value, dict):
        raise TokenRefused("malformed")
    return cast("dict[str, object]", value)


def _is_access_token(typ: object) -> bool:
    """Many providers send `JWT` or nothing; a type of its own says that it is something else."""
    if typ is None:
        return True
    return isinstance(typ, str) and typ.lower().removeprefix("application/") in _TYPES
