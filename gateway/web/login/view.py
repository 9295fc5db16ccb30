"""The login page as an answer: with whom one can log in, and why the page is shown."""

import logging
from urllib.parse import urlencode

from starlette.responses import Response

from gateway.web.denials import Denials
from gateway.web.login.answers import html
from gateway.web.login.cookies import Fields
from gateway.web.login.options import LoginOptions
from gateway.web.login.page import LoginPage
from gateway.web.login.paths import BEGIN
from gateway.web.login.refusals import LoginRefused


class LoginView:
    """Shows the page; `denials` counts those who are not let in."""

    def __init__(self, options: LoginOptions, denials: Denials) -> None:
        self._options, self._denials = options, denials
        issuers = options.oauth.issuers if options.oauth else ()
        self._providers = tuple(
            (issuer.partition("://")[2].rstrip("/"), number) for number, issuer in enumerate(issuers)
        )

    def show(self, next_path: str, sentence: str = "", *, status: int = 200, fields: Fields = ()) -> Response:
        links = tuple(
            (name, f"{BEGIN}?{urlencode({'issuer': number, 'next': next_path})}") for name, number in self._providers
        )
        return html(self._options.render(LoginPage(next_path, sentence, links)), status, fields)

    def refuse(self, refused: LoginRefused, next_path: str, fields: Fields = ()) -> Response:
        self._denials.count(f"login_{refused.cause}", level=logging.INFO)
        return self.show(next_path, str(refused), status=refused.status, fields=fields)
