"""Keys of our own, for CI and development: `skg_<name>_<43 characters of secret><6 of checksum>`.

The start makes a lost key easy to find for those who scan for secrets, the checksum tells a key cut
short from a wrong one. What is kept is `name:sha256`, with scopes behind a further colon if any; 256
random bits need no slower hash. Two lines may have one name: the old key and the new one, while one takes
over. Pure: the random bytes are an argument.
Source: NIST SP 800-63B section 5.1.2 (look-up secrets of 112 bits or more); RFC 4648 section 5.
"""

import base64
import hmac
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType

from gateway.auth.principal import API_KEY_ISSUER, Principal
from gateway.auth.refusals import TokenRefused

API_KEY_START = "skg_"
SECRET_BYTES = 32
DEFAULT_SCOPES = ("skills:read",)

_NAME = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?"
_KEY = re.compile(rf"({API_KEY_START}({_NAME})_[A-Za-z0-9_-]{{43}})([A-Za-z0-9_-]{{6}})", re.ASCII)
_LINE = re.compile(rf"({_NAME}):([0-9a-f]{{64}})(?::([!-~ ]*))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is kept of a key."""

    name: str
    sha256: bytes
    scopes: tuple[str, ...] = DEFAULT_SCOPES

    @property
    def line(self) -> str:
        """The text that `parse_api_key` reads."""
        scopes = "" if self.scopes == DEFAULT_SCOPES else ":" + " ".join(self.scopes)
        return f"{self.name}:{self.sha256.hex()}{scopes}"


def make_api_key(name: str, secret: bytes, scopes: tuple[str, ...] = DEFAULT_SCOPES) -> tuple[str, ApiKey]:
    """The key that `secret` (32 random bytes) makes, and what is to be kept of it. ValueError for no name or scope."""
    if not re.fullmatch(_NAME, name):
        raise ValueError(f"{name!r} is no name for a key; needs a-z, 0-9 and '-' inside, at most 64")
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {len(secret)} bytes, needs {SECRET_BYTES}")
    text = f"{API_KEY_START}{name}_{_base64url(secret)}"
    text += _checksum(text)
    kept = ApiKey(name, sha256(text.encode()).digest(), scopes)
    if parse_api_key(kept.line) != kept:
        raise ValueError(f"{scopes!r} are no scopes; each is a word of plain ASCII without commas, as skills:read")
    return text, kept


def parse_api_key(line: str) -> ApiKey:
    """A line as it is kept. Raises ValueError, which never tells the line: it may be the key itself."""
    found = _LINE.fullmatch(line.strip())
    if not found or "," in line:
        raise ValueError("needs name:sha256, or name:sha256:scope scope; run: skills-gateway apikey new NAME")
    scopes = DEFAULT_SCOPES if found[3] is None else tuple(found[3].split())
    return ApiKey(found[1], bytes.fromhex(found[2]), scopes)


class ApiKeys:
    """Finds the principal of a key."""

    def __init__(self, keys: Sequence[ApiKey]) -> None:
        self._keys = tuple((key, _principal(key)) for key in keys)

    def verify(self, text: str) -> Principal:
        """Raises TokenRefused. Compares with every key, in the same time whichever it is."""
        found = _KEY.fullmatch(text)
        if not found or not hmac.compare_digest(_checksum(found[1]), found[3]):
            raise TokenRefused("malformed")
        digest = sha256(text.encode()).digest()
        same = [who for key, who in self._keys if hmac.compare_digest(key.sha256, digest) and key.name == found[2]]
        if not same:
            raise TokenRefused("api_key")
        return same[0]


def _principal(key: ApiKey) -> Principal:
    claims = MappingProxyType[str, object]({"iss": API_KEY_ISSUER, "sub": key.name, "client_id": key.name})
    return Principal(API_KEY_ISSUER, key.name, key.name, frozenset(key.scopes), frozenset(), claims)


def _checksum(text: str) -> str:
    return _base64url(zlib.crc32(text.encode()).to_bytes(4, "big"))


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
