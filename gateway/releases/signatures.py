"""Signatures of releases: Ed25519 over the bytes of an index, which names everything else by digest. Pure.

The document: {"format":1,"signatures":[{"key":id,"signature":base64}…]}. A key is told by an id made of
its public half. What is signed begins with a fixed text, so that it is a signature of nothing else.

Source: RFC 8032 (Ed25519); RFC 8410 and RFC 7468 (private keys as PEM).
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from gateway.errors import ManifestRefused, SettingsError, SignatureRefused
from gateway.releases.fields import Fields
from gateway.skill.model import Json

_CONTEXT = b"skills-gateway release v1\n"
_PREFIX = "ed25519:"
_FORMAT = 1

TrustedKeys = Mapping[str, Ed25519PublicKey]
"""Public keys by their ids."""


def new_signing_key() -> tuple[str, str]:
    """A private key as PEM, and its public half as the text that `trusted_keys` reads."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem.decode(), public_text(key.public_key())


def load_signing_key(pem: bytes) -> Ed25519PrivateKey:
    """Raises SettingsError for what is no Ed25519 private key as PEM without a password."""
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError(
            "the signing key is no Ed25519 private key in PEM; make one: skills-gateway keygen --signing"
        )
    return key


def public_text(key: Ed25519PublicKey) -> str:
    return _PREFIX + b64encode(key.public_bytes_raw()).decode()


def trusted_keys(texts: Iterable[str]) -> TrustedKeys:
    """Keys by id. Raises SettingsError that names the text that is no key."""
    keys = [_public_key(text) for text in texts]
    return {key_id(key): key for key in keys}


def key_id(key: Ed25519PublicKey) -> str:
    """The first 64 bits of the digest of a public key."""
    return sha256(key.public_bytes_raw()).hexdigest()[:16]


def sign(index: bytes, key: Ed25519PrivateKey) -> bytes:
    """The document with the signature of an index."""
    signature = b64encode(key.sign(_CONTEXT + index)).decode()
    one: dict[str, Json] = {"key": key_id(key.public_key()), "signature": signature}
    return json.dumps({"format": _FORMAT, "signatures": [one]}, separators=(",", ":")).encode()


def check_signature(document: bytes | None, index: bytes, trusted: TrustedKeys, release: str) -> str:
    """The id of the trusted key that signed an index. Raises SignatureRefused that says what is wrong."""
    if document is None:
        raise SignatureRefused(f"release {release} is not signed; publish it with --sign")
    found = _signatures(document, release)
    for identifier, signature in found.items():
        if (key := trusted.get(identifier)) is not None:
            try:
                key.verify(signature, _CONTEXT + index)
            except InvalidSignature:
                raise SignatureRefused(f"the signature of release {release} by key {identifier} is wrong") from None
            return identifier
    signers = ", ".join(found) or "nobody"
    raise SignatureRefused(f"release {release} is signed by {signers}, none of them in GATEWAY_TRUSTED_KEYS")


def _signatures(document: bytes, release: str) -> dict[str, bytes]:
    what = f"signature document of release {release}"
    try:
        items = [Fields(item, what) for item in Fields(json.loads(document), what).array("signatures")]
        return {item.text("key"): b64decode(item.text("signature"), validate=True) for item in items}
    except (ValueError, RecursionError, ManifestRefused) as error:
        raise SignatureRefused(f"the {what} cannot be read: {error}") from None


def _public_key(text: str) -> Ed25519PublicKey:
    try:
        return Ed25519PublicKey.from_public_bytes(b64decode(text.strip().removeprefix(_PREFIX), validate=True))
    except ValueError:
        raise SettingsError(f"{text!r} is no public key, needs {_PREFIX} and 32 bytes as Base64") from None
