"""Sealing of what a browser keeps for us: nobody but us can read, change or prolong it. Pure.

The purpose is bound, so that the seal of one cookie opens no other; the expiry is inside. Keys come from the ring
that seals cursors by HKDF-SHA256 under labels of our own: the first one seals, all of them open.

Form: base64url, no padding, of `format (1) | key id (4) | nonce (12) | ciphertext | tag (16)`; sealed is
`expiry (8, whole seconds of the Unix clock) | content`. Source: NIST SP 800-38D section 8; RFC 5869.
"""

import base64
import binascii
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

NONCE_BYTES = 12

_FORMAT = b"\x01"
_ID_BYTES, _TIME_BYTES, _TAG_BYTES = 4, 8, 16
_HEADER_BYTES = len(_FORMAT) + _ID_BYTES
_LEAST_BYTES = _HEADER_BYTES + NONCE_BYTES + _TIME_BYTES + _TAG_BYTES


class Sealer:
    """Seals with the first key of a ring, opens with any. The ring is one that a cursor sealer takes."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys:
            raise ValueError("a sealer needs at least one key")
        ring = [(_derive(key, b"id", _ID_BYTES), AESGCM(_derive(key, b"key", 32))) for key in keys]
        self._first_id, self._first = ring[0]
        self._by_id = dict(reversed(ring))

    def seal(self, purpose: str, content: bytes, *, expires_at: int, nonce: bytes) -> str:
        """`nonce` has 12 random bytes, never used before."""
        header = _FORMAT + self._first_id
        plain = expires_at.to_bytes(_TIME_BYTES, "big") + content
        return _text(header + nonce + self._first.encrypt(nonce, plain, header + purpose.encode()))

    def unseal(self, purpose: str, text: str, *, now: float) -> bytes | None:
        """The content; None for what was not sealed here for this purpose, or expired."""
        raw = _raw(text)
        header, nonce = raw[:_HEADER_BYTES], raw[_HEADER_BYTES : _HEADER_BYTES + NONCE_BYTES]
        key = self._by_id.get(header[len(_FORMAT) :]) if header[:1] == _FORMAT else None
        if key is None or len(raw) < _LEAST_BYTES:
            return None
        try:
            plain = key.decrypt(nonce, raw[_HEADER_BYTES + NONCE_BYTES :], header + purpose.encode())
        except InvalidTag:
            return None
        expires_at = int.from_bytes(plain[:_TIME_BYTES], "big")
        return plain[_TIME_BYTES:] if now < expires_at else None


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _raw(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        return b""


def _derive(secret: bytes, label: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt=None, info=b"skills-gateway login v1 " + label).derive(secret)
