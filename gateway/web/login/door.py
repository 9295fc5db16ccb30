"""Who is let in, and how a session of theirs begins.

One authenticator for the login and for every request after it: no second opinion about a token.
"""

import logging
import os
from collections.abc import Iterable

from gateway.auth.authenticator import Authenticator
from gateway.auth.principal import Principal
from gateway.auth.refusals import IdentityUnavailable, TokenRefused
from gateway.web.login.cookies import Fields
from gateway.web.login.options import LoginOptions
from gateway.web.login.refusals import LoginRefused
from gateway.web.login.seal import NONCE_BYTES
from gateway.web.login.session import Sessions

logger = logging.getLogger(__name__)


class Door:
    """Lets in whom the authenticator knows, with all of `required_scopes`."""

    def __init__(
        self, authenticator: Authenticator, required_scopes: Iterable[str], sessions: Sessions, options: LoginOptions
    ) -> None:
        self._authenticator, self._required = authenticator, frozenset(required_scopes)
        self._sessions, self._options = sessions, options

    async def let_in(self, token: str, issuer: str | None = None) -> Fields:
        """Header fields that begin the session of who brings `token`, one of `issuer` if that is given.

        Raises LoginRefused.
        """
        principal = await self._principal(token)
        if issuer is not None and principal.issuer != issuer:
            raise LoginRefused("issuer")
        if not self._required <= principal.scopes:
            raise LoginRefused("scope")
        now = self._options.clock()
        expires_at = principal.expires_at or int(now) + self._options.session_s
        return self._sessions.begin(token, expires_at=expires_at, now=now, nonce=os.urandom(NONCE_BYTES))

    async def _principal(self, token: str) -> Principal:
        try:
            return await self._authenticator.authenticate(token)
        except TokenRefused as refused:
            logger.info("a login was refused: %s", refused.cause)
            # Whoever mistyped a key is not to read of access tokens.
            raise LoginRefused("token", "" if refused.cause == "malformed" else f"{refused}.") from None
        except IdentityUnavailable as fault:
            logger.info("a login cannot be judged: %s", fault)
            raise LoginRefused("unavailable") from None
