"""The ASGI layer in front of the bearer layer: on pages, and there alone, a session stands for a token.

A browser that is let in nowhere without a token is sent to the login page, and brought back. All else passes untouched.
"""

from collections.abc import Iterable
from urllib.parse import quote, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.web.login.answers import see_other
from gateway.web.login.options import LoginOptions
from gateway.web.login.paths import LOGIN, local_path
from gateway.web.login.session import Sessions

_READS = ("GET", "HEAD")
_AUTHORIZATION = b"authorization"


class SessionLayer:
    """Wraps `app`. `endpoints` are those of MCP, where no session counts, whatever the paths of pages are."""

    def __init__(self, app: ASGIApp, sessions: Sessions, options: LoginOptions, endpoints: Iterable[str]) -> None:
        self._app, self._sessions, self._options = app, sessions, options
        self._endpoints = frozenset(endpoints)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._endpoints or not self._is_page(scope):
            await self._app(scope, receive, send)
            return
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        token = self._sessions.find(headers, now=self._options.clock())
        if token:
            scope = {**scope, "headers": [*headers, (_AUTHORIZATION, b"Bearer " + token)]}
        if scope["method"] == "GET" and _takes_html(headers):
            send = _Redirecting(send, scope, receive, self._sessions, has_session=token is not None)
        await self._app(scope, receive, send)

    def _is_page(self, scope: Scope) -> bool:
        return (
            scope["method"] in _READS
            and self._options.paths.has(scope["path"])
            and all(name != _AUTHORIZATION for name, _ in scope["headers"])
        )


class _Redirecting:
    """A `send` that answers with a redirect to the login page where nobody was let in."""

    def __init__(self, send: Send, scope: Scope, receive: Receive, sessions: Sessions, *, has_session: bool) -> None:
        self._send, self._scope, self._receive = send, scope, receive
        self._sessions, self._has_session = sessions, has_session
        self._is_answered = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] in (401, 403):
            self._is_answered = True
            await self._redirect(is_known=message["status"] == 403)
        elif not self._is_answered:
            await self._send(message)

    async def _redirect(self, *, is_known: bool) -> None:
        asked = {"next": local_path(_address(self._scope))}
        if is_known or self._has_session:
            asked["why"] = "scope" if is_known else "ended"
        fields = () if is_known or not self._has_session else self._sessions.cookie.clear()
        await see_other(f"{LOGIN}?{urlencode(asked)}", fields)(self._scope, self._receive, self._send)


def _address(scope: Scope) -> str:
    query: bytes = scope.get("query_string", b"")
    return quote(scope["path"], safe="/:@!$&'()*+,;=~") + (f"?{query.decode('latin-1')}" if query else "")


def _takes_html(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name == b"accept" and b"text/html" in value for name, value in headers)
