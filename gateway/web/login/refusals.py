"""What a person is told whom a login does not let in: one sentence, and what to do. Pure.

No sentence holds anything that a request or a provider sent.
"""

from collections.abc import Mapping

from gateway.errors import RequestError

SENTENCES: Mapping[str, tuple[int, str]] = {
    "empty": (400, "Nothing was entered. Paste an API key or an access token."),
    "form": (400, "This form cannot be read. Open the login page again and send it from there."),
    "cross_site": (403, "This did not come from the login page of this server. Open it here and try again."),
    "token": (401, "That key or token is not good here."),
    "scope": (403, "You are known here, but may not see the skills: a scope is missing. Ask who runs this server."),
    "too_large": (400, "This token is too large for a cookie. Log in with an API key, or have the token made smaller."),
    "unavailable": (503, "The identity provider cannot be asked now. Try again in a moment, or use an API key."),
    "state": (400, "This login took too long, or began in another window. Begin again."),
    "issuer": (403, "The answer came from another identity provider than the one that was asked. Begin again."),
    "denied": (403, "The identity provider did not let you in. Begin again, or ask who runs it."),
    "provider": (400, "This login at the identity provider did not work. Begin again, or use an API key."),
    "code": (403, "The identity provider did not take its own code back. Begin again."),
}
"""Why somebody is not let in: the HTTP status, and the sentence."""

REASONS: Mapping[str, str] = {
    "ended": "Your session ended. Log in again.",
    "scope": SENTENCES["scope"][1],
    "out": "You are logged out.",
}
"""What a redirect to the login page may have it say."""


class LoginRefused(RequestError):
    """`cause` is a key of SENTENCES; `sentence` may be a more exact one of our own."""

    reason = "login_refused"

    def __init__(self, cause: str, sentence: str = "") -> None:
        self.cause = cause
        self.status, standard = SENTENCES[cause]
        super().__init__(sentence or standard)
