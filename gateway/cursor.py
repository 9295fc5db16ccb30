"""Sealing: what a client holds between two pages, readable by us alone.

A cursor says "you may go on with exactly this request": its seal binds the method, the other
parameters of the request and the verified principal, and holds the variant, the expiry, how many
items were served and the provider's position. Authority is not in it: every page is authorised again.
Pure: the clock is an argument, and nothing is random. It knows neither MCP nor what a position means.

Form: base64url, no padding, of `format (1) | key id (4) | nonce (12) | ciphertext | tag (16)`.
AES-256-GCM; keys and key ids come from the ring's secret by HKDF-SHA256 under labels of our own, so
that a secret shared with another purpose never opens here. The nonce is a MAC over all that is sealed
and bound: equal requests get equal cursors, which clients use as cache keys, and different ones
meet in a nonce no sooner than random ones would, so change the key long before 2^32 cursors.
Source: NIST SP 800-38D section 8; RFC 5869; RFC 8452 section 1 for nonces made of the message.
"""

import base64
import binascii
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gateway.errors import CursorRefused, ProviderFault

MIN_KEY_BYTES = 32
MAX_CURSOR_CHARACTERS = 8192
"""Room for a 1 KiB key twice (a store's token and a place), base64 within base64."""

_FORMAT = b"\x01"
_ID_BYTES = 4
_NONCE_BYTES = 12
_HEADER_BYTES = len(_FORMAT) + _ID_BYTES + _NONCE_BYTES
_TAG_BYTES = 16


@dataclass(frozen=True, slots=True)
class CursorScope:
    """The one request a cursor is good for: method, its other parameters, who asks."""

    method: str
    parameters: tuple[tuple[str, str], ...] = ()
    principal: tuple[str, str, str] = ("", "", "")

    def fingerprint(self) -> bytes:
        return sha256(json.dumps([self.method, self.parameters, self.principal]).encode()).digest()


@dataclass(frozen=True, slots=True)
class CursorState:
    """What is sealed. `expires_at` is in whole seconds of the Unix clock."""

    variant: str
    expires_at: int
    offset: int
    position: str


class CursorSealer:
    """Seals with the first key of a ring, opens with any."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """`keys`: at least one, each of at least 32 bytes; ValueError otherwise."""
        if not keys:
            raise ValueError("a cursor sealer needs at least one key")
        for index, key in enumerate(keys):
            if len(key) < MIN_KEY_BYTES:
                raise ValueError(f"cursor key {index} has {len(key)} bytes, needs at least {MIN_KEY_BYTES}")
        ring = [(_derive(key, b"id", _ID_BYTES), AESGCM(_derive(key, b"key", 32))) for key in keys]
        self._first_id, self._first = ring[0]
        self._nonce_key = _derive(keys[0], b"nonce", 32)
        self._by_id = dict(reversed(ring))

    def seal(self, state: CursorState, scope: CursorScope) -> str:
        """The cursor for `state`, good for requests of `scope` alone.

        Raises ProviderFault for a position so long that the cursor would be refused when it comes back.
        """
        header = _FORMAT + self._first_id
        plain = json.dumps(
            [state.variant, state.expires_at, state.offset, state.position], ensure_ascii=False, separators=(",", ":")
        )
        bound = header + scope.fingerprint()
        nonce = hmac.digest(self._nonce_key, bound + plain.encode(), "sha256")[:_NONCE_BYTES]
        sealed = self._first.encrypt(nonce, plain.encode(), bound)
        cursor = base64.urlsafe_b64encode(header + nonce + sealed).rstrip(b"=").decode()
        if len(cursor) > MAX_CURSOR_CHARACTERS:
            raise ProviderFault(f"a position of {len(state.position)} characters is too long for a cursor")
        return cursor

    def unseal(self, cursor: str, scope: CursorScope, *, now: float) -> CursorState:
        """What was sealed for this very scope. Raises CursorRefused, whose `cause` is for the log alone."""
        raw = _raw(cursor)
        header, nonce, sealed = raw[:5], raw[5:_HEADER_BYTES], raw[_HEADER_BYTES:]
        key = self._by_id.get(header[1:])
        if header[:1] != _FORMAT or key is None:
            raise CursorRefused("unknown_key")
        try:
            plain = key.decrypt(nonce, sealed, header + scope.fingerprint())
        except InvalidTag:
            raise CursorRefused("altered_or_foreign") from None
        variant, expires_at, offset, position = json.loads(plain)
        if now >= expires_at:
            raise CursorRefused("expired")
        return CursorState(variant, expires_at, offset, position)


def _raw(cursor: str) -> bytes:
    if not cursor:
        raise CursorRefused("empty")
    if len(cursor) > MAX_CURSOR_CHARACTERS:
        raise CursorRefused("too_long")
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise CursorRefused("not_base64") from None
    # One cursor, one spelling: unused bits of the last character would make altered twins.
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != cursor or len(raw) < _HEADER_BYTES + _TAG_BYTES:
        raise CursorRefused("not_ours")
    return raw


def _derive(secret: bytes, label: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt=None, info=b"skills-gateway cursor v1 " + label).derive(secret)
