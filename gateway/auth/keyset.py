"""The keys that a provider publishes, each bound to the algorithms it may verify. Pure.

A key is taken only for what its type, its curve, its `alg`, its `use` and its `key_ops` all allow, so
that no token can choose how it is verified. Keys that nothing here can use are left out.
Source: RFC 7517 sections 4 and 5; RFC 7518 sections 3.3, 3.4 and 6; RFC 8037; RFC 8725 sections 3.1 and 3.5.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

from gateway.auth.issuer import ALGORITHMS
from gateway.auth.refusals import IdentityUnavailable

MAX_KEYS = 100
MIN_RSA_BITS = 2048
MAX_RSA_BITS = 8192
"""What is longer takes milliseconds for each signature."""

# Nothing else of a key is looked at, above all not the private half that somebody published by mistake.
_PUBLIC_MEMBERS = ("kty", "crv", "n", "e", "x", "y")


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """A public key, once for each algorithm that it may verify."""

    key_id: str | None
    by_algorithm: Mapping[str, PyJWK]


@dataclass(frozen=True, slots=True)
class KeySet:
    """The usable keys of a provider."""

    keys: tuple[VerificationKey, ...]

    def find(self, key_id: str | None, algorithm: str) -> PyJWK | None:
        """The key for a token's header. Without a `kid` only a key that is alone in its set can be meant."""
        if key_id is None:
            named = self.keys if len(self.keys) == 1 else ()
        else:
            named = tuple(key for key in self.keys if key.key_id == key_id)
        return next((key.by_algorithm[algorithm] for key in named if algorithm in key.by_algorithm), None)


def key_set(document: object, algorithms: tuple[str, ...]) -> KeySet:
    """The set in a JWKS document. Raises IdentityUnavailable for what is none, or has no key that is of use."""
    listed = cast("dict[str, object]", document).get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise IdentityUnavailable("the key set is no JSON object with a list of keys")
    found = cast("list[object]", listed)
    if len(found) > MAX_KEYS:
        raise IdentityUnavailable(f"the key set has {len(found)} keys, may have at most {MAX_KEYS}")
    keys = tuple(_usable(found, algorithms))
    if not keys:
        raise IdentityUnavailable(f"none of the {len(found)} keys of the key set is one for {', '.join(algorithms)}")
    return KeySet(keys)


def _usable(listed: list[object], algorithms: tuple[str, ...]) -> Iterator[VerificationKey]:
    for item in listed:
        jwk = cast("dict[str, object]", item) if isinstance(item, dict) else {}
        by_algorithm = {name: key for name in algorithms if _allows(jwk, name) and (key := _public_key(jwk, name))}
        if by_algorithm:
            key_id = jwk.get("kid")
            yield VerificationKey(key_id if isinstance(key_id, str) else None, by_algorithm)


def _allows(jwk: Mapping[str, object], algorithm: str) -> bool:
    key_type, curve = ALGORITHMS[algorithm]
    operations = jwk.get("key_ops", ["verify"])
    return (
        jwk.get("kty") == key_type
        and (curve is None or jwk.get("crv") == curve)
        and jwk.get("alg", algorithm) == algorithm
        and jwk.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
    )


def _public_key(jwk: Mapping[str, object], algorithm: str) -> PyJWK | None:
    members: dict[str, Any] = {name: jwk[name] for name in _PUBLIC_MEMBERS if name in jwk}
    try:
        key = PyJWK(members, algorithm)
    except (PyJWTError, ValueError, TypeError, KeyError):
        return None
    public = key.key
    is_weak = isinstance(public, RSAPublicKey) and not MIN_RSA_BITS <= public.key_size <= MAX_RSA_BITS
    return None if is_weak else key
