"""The provider that a browser logged in at last: it is sent there again, without being asked, when its token expired.

Providers remember people for longer than their tokens are good, which often is five minutes. What the cookie holds is
a number and no secret; whoever logs out, or is refused there, has none any more. Pure.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.web.login.cookies import Cookie, Fields


@dataclass(frozen=True, slots=True)
class UsualProvider:
    """Remembers one of `issuers` for `for_s` seconds after a login."""

    cookie: Cookie
    issuers: tuple[str, ...]
    for_s: int

    def remember(self, issuer: str) -> Fields:
        return self.cookie.set(str(self.issuers.index(issuer)), self.for_s)

    def forget(self) -> Fields:
        return self.cookie.clear() if self.issuers else ()

    def find(self, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
        """Its number, None for none."""
        number = self.cookie.read(headers)
        return number if number in map(str, range(len(self.issuers))) else None
