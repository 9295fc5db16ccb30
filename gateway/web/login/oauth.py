"""Login at an identity provider: the browser is sent there, and comes back with a code.

No token is in any URL: the code is exchanged for one from here, and only with the verifier that this browser keeps
sealed. The token is then let in like one that was pasted. Source: as `gateway.web.login.flow`.
"""

import asyncio
import logging
import os
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.auth.codeflow import authorization_address
from gateway.auth.providers import CodeProviders
from gateway.auth.refusals import CodeRefused, IdentityUnavailable
from gateway.web.login.answers import see_other
from gateway.web.login.cookies import Cookie, Fields
from gateway.web.login.door import Door
from gateway.web.login.flow import Answer, Flow, Flows, check_state, code_of
from gateway.web.login.options import LoginOptions
from gateway.web.login.paths import BEGIN, CALLBACK, HOME, local_path
from gateway.web.login.refusals import LoginRefused
from gateway.web.login.seal import NONCE_BYTES, Sealer
from gateway.web.login.usual import UsualProvider
from gateway.web.login.view import LoginView

logger = logging.getLogger(__name__)


class OAuthLogin:
    """`GET /login/oauth` sends a browser away, `GET /login/callback` takes it back. To be `opened` while it serves."""

    def __init__(
        self, options: LoginOptions, sealer: Sealer, door: Door, view: LoginView, usual: UsualProvider
    ) -> None:
        assert options.oauth is not None, "a login at providers needs to know them"
        self._oauth, self._clock, self._usual = options.oauth, options.clock, usual
        self._flows = Flows(sealer, Cookie("skills_login", options.is_secure, parts=2))
        self._door, self._view = door, view
        self._providers: CodeProviders | None = None

    @property
    def routes(self) -> tuple[BaseRoute, ...]:
        return (Route(BEGIN, self._begin, methods=["GET"]), Route(CALLBACK, self._come_back, methods=["GET"]))

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """To be entered on the loop that serves; asks nobody anything yet."""
        # In a thread: reading the certificates of the machine takes 70 ms.
        client = await asyncio.to_thread(httpx2.AsyncClient, timeout=self._oauth.timeout_s)
        async with client:
            self._providers = CodeProviders(client, self._oauth.issuers, self._oauth.timeout_s, time.monotonic)
            try:
                yield
            finally:
                self._providers = None

    async def _begin(self, request: Request) -> Response:
        next_path = local_path(request.query_params.get("next"))
        try:
            address, fields = await self._sent_away(request.query_params.get("issuer", "0"), next_path)
        except LoginRefused as refused:
            return self._view.refuse(refused, next_path)
        return see_other(address, fields)

    async def _sent_away(self, number: str, next_path: str) -> tuple[str, Fields]:
        issuer = {str(index): one for index, one in enumerate(self._oauth.issuers)}.get(number)
        if issuer is None:
            raise LoginRefused("provider")
        try:
            provider = await self._asked().find(issuer)
        except IdentityUnavailable:
            raise LoginRefused("unavailable") from None
        flow = Flow(issuer, next_path, secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        fields = self._flows.begin(flow, now=self._clock(), nonce=os.urandom(NONCE_BYTES))
        return authorization_address(provider, self._oauth.client, flow.state, flow.verifier), fields

    async def _come_back(self, request: Request) -> Response:
        query = request.query_params
        answer = {name: query.getlist(name) for name in query}
        kept = self._flows.find(request.scope["headers"], now=self._clock())
        try:
            flow = check_state(kept, answer)
        except LoginRefused as refused:
            # The flow stays: another site may have sent the browser here to end it.
            return self._view.refuse(refused, kept.next_path if kept else HOME)
        try:
            session = await self._let_in(flow, answer)
        except LoginRefused as refused:
            # Or the browser would be sent there again, and nobody could log in with a key.
            return self._view.refuse(refused, flow.next_path, (*self._flows.cookie.clear(), *self._usual.forget()))
        remembered = self._usual.remember(flow.issuer)
        return see_other(flow.next_path, (*self._flows.cookie.clear(), *session, *remembered))

    async def _let_in(self, flow: Flow, answer: Answer) -> Fields:
        try:
            provider = await self._asked().find(flow.issuer)
            code = code_of(answer, provider)
            token = await self._asked().redeem(provider, self._oauth.client, code, flow.verifier)
        except CodeRefused as refused:
            logger.info("a login at %s failed: %s", flow.issuer, refused)
            raise LoginRefused("code") from None
        except IdentityUnavailable as fault:
            logger.info("a login at %s failed: %s", flow.issuer, fault)
            raise LoginRefused("unavailable") from None
        return await self._door.let_in(token, flow.issuer)

    def _asked(self) -> CodeProviders:
        if self._providers is None:
            raise RuntimeError("the login is not open")
        return self._providers
