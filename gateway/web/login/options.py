"""How a login is set up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from gateway.auth.codeflow import CodeClient
from gateway.web.login.page import RenderLogin, render_login
from gateway.web.login.paths import PagePaths


@dataclass(frozen=True, slots=True)
class OAuthOptions:
    """Login at one of `issuers`, all of which know us as `client`; each question to them has `timeout_s`."""

    client: CodeClient
    issuers: tuple[str, ...]
    timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class LoginOptions:
    """`paths` are the pages, `keys` the ring that seals cookies.

    `public_origin` is where browsers find this server, empty when that is not known; with https cookies are secure.
    A session with a token that does not expire ends after `session_s`. `clock` is that of Unix.
    """

    paths: PagePaths
    keys: tuple[bytes, ...] = field(repr=False)
    public_origin: str = ""
    session_s: int = 43_200
    oauth: OAuthOptions | None = None
    """None for keys and pasted tokens alone."""
    render: RenderLogin = render_login
    clock: Callable[[], float] = time.time

    @property
    def is_secure(self) -> bool:
        return self.public_origin.startswith("https://")
