"""A session: the bearer token of a person, in a cookie of theirs. Pure; nothing is kept here.

What the token may do, and whether it still is good, is asked again with each request.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.web.login.cookies import Cookie, Fields
from gateway.web.login.refusals import LoginRefused
from gateway.web.login.seal import Sealer

_PURPOSE = "session"


@dataclass(frozen=True, slots=True)
class Sessions:
    """Begins sessions, and finds them again; `cookie` carries them."""

    sealer: Sealer
    cookie: Cookie

    def begin(self, token: str, *, expires_at: int, now: float, nonce: bytes) -> Fields:
        """Header fields that begin a session. Raises LoginRefused for a token that no cookie can hold."""
        sealed = self.sealer.seal(_PURPOSE, token.encode(), expires_at=expires_at, nonce=nonce)
        if len(sealed) > self.cookie.max_characters:
            raise LoginRefused("too_large")
        return self.cookie.set(sealed, max(0, expires_at - int(now)))

    def find(self, headers: Iterable[tuple[bytes, bytes]], *, now: float) -> bytes | None:
        """The token of a request's session, empty for one that is over or not ours; None without a session."""
        sealed = self.cookie.read(headers)
        if not sealed:
            return None
        return self.sealer.unseal(_PURPOSE, sealed, now=now) or b""
