"""An identity provider that people log in at: it authorises whoever comes, and gives a token for each code once.

It checks what a provider must: client, redirect URI, challenge and verifier, the client's secret.
"""

import base64
import json
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from gateway.auth.codeflow import CodeClient
from gateway.web.login.options import OAuthOptions
from tests.auth.identity import OPENID, IdentityProvider
from tests.web.login.browser import PUBLIC

AUTHORIZE, TOKEN = "/authorize", "/token"
RESOURCE, CALLBACK = f"{PUBLIC}/mcp", f"{PUBLIC}/login/callback"


@dataclass
class LoginProvider(IdentityProvider):
    """`answered` changes what the browser brings back, None leaves a parameter out; `claims` are those of tokens.

    `sent` are the forms that the token endpoint got, and `fields` the Authorization header fields with them.
    """

    secret: str = ""
    answered: dict[str, str | None] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    sent: list[dict[str, str]] = field(default_factory=list)
    fields: list[str | None] = field(default_factory=list)
    issued: list[str] = field(default_factory=list)
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def describe(self, **changes: Any) -> None:
        """Publish metadata; a change to None leaves a member out."""
        base = {
            "issuer": self.url,
            "authorization_endpoint": self.url + AUTHORIZE,
            "token_endpoint": self.url + TOKEN,
            "jwks_uri": self.url + "/keys",
            "code_challenge_methods_supported": ["S256"],
        }
        self.documents[OPENID] = {name: value for name, value in {**base, **changes}.items() if value is not None}

    def oauth(self, secret: str = "", timeout_s: float = 5.0, *more: str) -> OAuthOptions:
        """How a gateway logs people in here."""
        self.secret = secret
        client = CodeClient("gateway", CALLBACK, RESOURCE, ("skills:read",), secret)
        return OAuthOptions(client, (self.url, *more), timeout_s)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path, _, query = request.path.partition("?")
        if path == AUTHORIZE and not self.is_silent:
            self.documents[request.path] = self._authorise(dict(parse_qsl(query, strict_parsing=True)))
        elif path == TOKEN and TOKEN not in self.documents:
            size = int(request.headers["Content-Length"])
            form = dict(parse_qsl(request.rfile.read(size).decode(), strict_parsing=True))
            self.sent.append(form)
            self.fields.append(request.headers["Authorization"])
            self.documents[TOKEN] = self._token(form, self.fields[-1])
            super().answer(request)
            del self.documents[TOKEN]
            return
        elif request.command == "POST":
            request.rfile.read(int(request.headers["Content-Length"]))
        super().answer(request)

    def _authorise(self, asked: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        expected = {"response_type": "code", "client_id": "gateway", "redirect_uri": CALLBACK, "resource": RESOURCE}
        if not expected.items() <= asked.items() or asked["code_challenge_method"] != "S256":
            return 400, {}, b"not a request of a client I know"
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        told = {"code": code, "state": asked["state"], **self.answered}
        query = urlencode({name: value for name, value in told.items() if value is not None})
        return 302, {"Location": f"{asked['redirect_uri']}?{query}"}, b""

    def _token(self, form: dict[str, str], authorization: str | None) -> tuple[int, dict[str, str], bytes]:
        if self.secret and self.secret not in (form.get("client_secret"), _secret_of(authorization)):
            return _json(401, {"error": "invalid_client"})
        asked = self._codes.pop(form["code"], None)
        verified = base64.urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if asked is None or verified != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return _json(400, {"error": "invalid_grant", "error_description": "the code is no good"})
        self.issued.append(self.token(**{"aud": form["resource"], **self.claims}))
        return _json(200, {"access_token": self.issued[-1], "token_type": "bearer", "expires_in": 600})


def _secret_of(authorization: str | None) -> str | None:
    scheme, _, pair = (authorization or "").partition(" ")
    return base64.b64decode(pair).decode().partition(":")[2] if scheme == "Basic" else None


def _json(status: int, document: Any) -> tuple[int, dict[str, str], bytes]:
    return status, {"Content-Type": "application/json"}, json.dumps(document).encode()


def local_part(address: str) -> str:
    """The path and query of an address of the gateway."""
    parts = urlsplit(address)
    assert f"{parts.scheme}://{parts.netloc}" == PUBLIC
    return f"{parts.path}?{parts.query}"
