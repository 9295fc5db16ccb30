"""The ASGI layer in front of the bearer layer: on pages, and there alone, a session stands for a token.

A browser that is let in nowhere without a token is sent to the login page, or to the provider where it logged in last,
and brought back. All else passes untouched.
"""

from collections.abc import Callable, Iterable
from functools import partial
from urllib.parse import quote, urlencode

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.web.login.answers import see_other
from gateway.web.login.options import LoginOptions
from gateway.web.login.paths import BEGIN, LOGIN, local_path
from gateway.web.login.session import Sessions
from gateway.web.login.usual import UsualProvider

_READS = ("GET", "HEAD")
_AUTHORIZATION = b"authorization"
_UNKNOWN, _FORBIDDEN = 401, 403


class SessionLayer:
    """Wraps `app`. `endpoints` are those of MCP, where no session counts, whatever the paths of pages are."""

    def __init__(
        self,
        app: ASGIApp,
        sessions: Sessions,
        usual: UsualProvider,
        options: LoginOptions,
        endpoints: Iterable[str],
    ) -> None:
        self._app, self._sessions, self._usual, self._options = app, sessions, usual, options
        self._endpoints = frozenset(endpoints)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._endpoints or not self._is_page(scope):
            await self._app(scope, receive, send)
            return
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        token = self._sessions.find(headers, now=self._options.clock())
        if token:
            scope = {**scope, "headers": [*headers, (_AUTHORIZATION, b"Bearer " + token)]}
        if scope["method"] == "GET" and _shows_html(headers):
            elsewhere = partial(self._elsewhere, scope, has_session=token is not None)
            await self._app(scope, receive, _Redirecting(scope, receive, send, elsewhere))
        else:
            await self._app(scope, receive, send)

    def _elsewhere(self, scope: Scope, status: int, *, has_session: bool) -> Response:
        """Where a reader is sent who was answered with `status`."""
        asked = {"next": local_path(_address(scope))}
        if status == _FORBIDDEN:
            return see_other(f"{LOGIN}?{urlencode(asked | {'why': 'scope'})}")
        fields = self._sessions.cookie.clear() if has_session else ()
        if (number := self._usual.find(scope["headers"])) is not None:
            return see_other(f"{BEGIN}?{urlencode({'issuer': number} | asked)}", fields)
        return see_other(f"{LOGIN}?{urlencode(asked | ({'why': 'ended'} if has_session else {}))}", fields)

    def _is_page(self, scope: Scope) -> bool:
        return (
            scope["method"] in _READS
            and self._options.paths.has(scope["path"])
            and all(name != _AUTHORIZATION for name, _ in scope["headers"])
        )


class _Redirecting:
    """A `send` that answers with what `elsewhere` says of a status where nobody was let in."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, elsewhere: Callable[[int], Response]) -> None:
        self._scope, self._receive, self._send, self._elsewhere = scope, receive, send, elsewhere
        self._is_answered = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] in (_UNKNOWN, _FORBIDDEN):
            self._is_answered = True
            await self._elsewhere(message["status"])(self._scope, self._receive, self._send)
        elif not self._is_answered:
            await self._send(message)


def _address(scope: Scope) -> str:
    query: bytes = scope.get("query_string", b"")
    return quote(scope["path"], safe="/:@!$&'()*+,;=~") + (f"?{query.decode('latin-1')}" if query else "")


def _shows_html(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a person sees the answer; a script that fetches a page could follow to no provider."""
    fields = dict(headers)
    return b"text/html" in fields.get(b"accept", b"") and fields.get(b"sec-fetch-mode", b"navigate") == b"navigate"
