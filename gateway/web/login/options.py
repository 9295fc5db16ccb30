"""How a login is set up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from gateway.web.login.page import RenderLogin, render_login
from gateway.web.login.paths import PagePaths


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
    render: RenderLogin = render_login
    clock: Callable[[], float] = time.time

    @property
    def is_secure(self) -> bool:
        return self.public_origin.startswith("https://")
