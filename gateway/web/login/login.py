"""The login of an app: its routes, its layer, and what they share.

`GET /login` shows the form, `POST /login` takes a key or a token, `POST /logout` forgets the session.
"""

from contextlib import AbstractAsyncContextManager, nullcontext

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from gateway.auth.authenticator import Authenticator
from gateway.web.denials import Denials
from gateway.web.login.answers import see_other
from gateway.web.login.cookies import Cookie
from gateway.web.login.door import Door
from gateway.web.login.form import check_origin, read_form
from gateway.web.login.layer import SessionLayer
from gateway.web.login.oauth import OAuthLogin
from gateway.web.login.options import LoginOptions
from gateway.web.login.paths import HOME, LOGIN, LOGOUT, local_path
from gateway.web.login.refusals import REASONS, LoginRefused
from gateway.web.login.seal import Sealer
from gateway.web.login.session import Sessions
from gateway.web.login.usual import UsualProvider
from gateway.web.login.view import LoginView


class Login:
    """Lets in whom `authenticator` knows. Its routes need no token, but all the other layers in front of them.

    To be `opened` while it serves.
    """

    def __init__(
        self, options: LoginOptions, authenticator: Authenticator, required_scopes: tuple[str, ...], denials: Denials
    ) -> None:
        self._options = options
        sealer = Sealer(options.keys)
        self._sessions = Sessions(sealer, Cookie("skills_session", options.is_secure, parts=2))
        self._door = Door(authenticator, required_scopes, self._sessions, options)
        self._view = LoginView(options, denials)
        issuers = options.oauth.issuers if options.oauth else ()
        self._usual = UsualProvider(Cookie("skills_provider", options.is_secure), issuers, options.session_s)
        self._oauth = OAuthLogin(options, sealer, self._door, self._view, self._usual) if issuers else None

    @property
    def routes(self) -> tuple[BaseRoute, ...]:
        return (
            Route(LOGIN, self._show, methods=["GET"]),
            Route(LOGIN, self._enter, methods=["POST"]),
            Route(LOGOUT, self._leave, methods=["POST"]),
            *(self._oauth.routes if self._oauth else ()),
        )

    def layer(self, app: ASGIApp, endpoints: tuple[str, ...]) -> ASGIApp:
        """`app`, the bearer layer, behind sessions; `endpoints` are those of MCP, where none counts."""
        return SessionLayer(app, self._sessions, self._usual, self._options, endpoints)

    def opened(self) -> AbstractAsyncContextManager[None]:
        """To be entered on the loop that serves."""
        return self._oauth.opened() if self._oauth else nullcontext()

    async def _show(self, request: Request) -> Response:
        asked = request.query_params
        return self._view.show(local_path(asked.get("next")), REASONS.get(asked.get("why", ""), ""))

    async def _enter(self, request: Request) -> Response:
        next_path = HOME
        try:
            check_origin(request.headers, self._options.public_origin)
            form = read_form(request.headers.get("content-type", ""), await request.body())
            next_path = form.next_path
            if not form.token:
                raise LoginRefused("empty")
            return see_other(next_path, (*await self._door.let_in(form.token), *self._usual.forget()))
        except LoginRefused as refused:
            return self._view.refuse(refused, next_path)

    async def _leave(self, request: Request) -> Response:
        try:
            check_origin(request.headers, self._options.public_origin)
        except LoginRefused as refused:
            return self._view.refuse(refused, HOME)
        return see_other(f"{LOGIN}?why=out", (*self._sessions.cookie.clear(), *self._usual.forget()))
