"""Answers of the login: nothing of them is kept, framed, or loaded from elsewhere.

`Referrer-Policy: same-origin` and not `no-referrer`: under that one browsers send `Origin: null` with a form, which
the guard refuses. Source: CSP Level 3; Fetch standard, "append a request Origin header"; RFC 9111 section 5.2.2.5.
"""

from collections.abc import Mapping

from starlette.responses import RedirectResponse, Response

from gateway.web.login.cookies import Fields

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

RETRY_AFTER_S = 5


def html(text: str, status: int, fields: Fields = ()) -> Response:
    answer = Response(text, status, SECURITY_HEADERS, "text/html")
    if status == 503:
        answer.headers["Retry-After"] = str(RETRY_AFTER_S)
    answer.raw_headers.extend(fields)
    return answer


def see_other(location: str, fields: Fields = ()) -> Response:
    """On to a GET of `location`."""
    answer = RedirectResponse(location, 303, SECURITY_HEADERS)
    answer.raw_headers.extend(fields)
    return answer
