"""An identity provider on loopback: real sockets, keys made here, and what it answers is what a test says."""

import base64
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from gateway.auth.authenticator import Authenticator, AuthOptions
from gateway.auth.issuer import TrustedIssuer
from gateway.auth.keys import KeyTimes

NOW = 1_800_000_000.0
AUDIENCE = "https://skills.example.com/mcp"
KEYS, OPENID, OAUTH = "/keys", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"
KINDS = {"RS256": "rsa", "PS256": "rsa", "ES256": "ec", "EdDSA": "ed"}


@dataclass
class Clock:
    """A clock that goes on when it is told to."""

    at: float = NOW

    def __call__(self) -> float:
        return self.at


@cache
def key_of(kind: str, serial: int = 0, bits: int = 2048) -> Any:
    """A private key, the same for the same arguments."""
    if kind == "rsa":
        return rsa.generate_private_key(65537, bits)
    return ec.generate_private_key(ec.SECP256R1()) if kind == "ec" else ed25519.Ed25519PrivateKey.generate()


def jwk_of(key: Any, kid: str | None, **members: Any) -> dict[str, Any]:
    """The public half of a key as a JWK; a member of None is left out."""
    kinds = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    algorithm = next((found for kind, found in kinds.items() if isinstance(key, kind)), OKPAlgorithm)
    public = algorithm.to_jwk(key.public_key(), as_dict=True)
    public.pop("key_ops", None)
    return {name: value for name, value in {**public, "kid": kid, **members}.items() if value is not None}


def claims_of(issuer: str, **changes: Any) -> dict[str, Any]:
    """Claims of a good token; a change to None leaves the claim out."""
    base = {
        "iss": issuer,
        "aud": AUDIENCE,
        "sub": "alice",
        "client_id": "host",
        "scope": "skills:read",
        "iat": NOW,
        "exp": NOW + 600,
    }
    return {name: value for name, value in {**base, **changes}.items() if value is not None}


def signed(claims: Mapping[str, Any], key: Any, kid: str | None = "k1", algorithm: str = "RS256", **header: Any) -> str:
    """A token. `header` changes its header, None leaves a member out."""
    fields = {name: value for name, value in {"typ": "at+jwt", "kid": kid, **header}.items() if value is not None}
    return jwt.PyJWS().encode(json.dumps(claims).encode(), key, algorithm, {"typ": None, **fields})


def part(value: object) -> str:
    """A segment of a token made by hand."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class IdentityProvider:
    """Answers with `documents`, by path: a JSON value, bytes, or status, headers and bytes. `asked` counts paths.

    It answers nothing while it `is_silent`, and only once its `gate` is set, if it has one.
    """

    documents: dict[str, Any] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    port: int = 0
    is_silent: bool = False
    gate: Event | None = None
    _released: Event = field(default_factory=Event)
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def publish(self, *keys: Mapping[str, Any]) -> None:
        self.documents[KEYS] = {"keys": list(keys)}

    def start(self) -> None:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.answer(self)

            def do_POST(self) -> None:
                owner.answer(self)

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_port
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._released.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked[request.path] += 1
        if self.is_silent:
            self._released.wait(30)
            return
        if self.gate is not None and not self.gate.wait(10):
            return
        found = self.documents.get(request.path, (404, {}, b""))
        status, headers, data = found if isinstance(found, tuple) else (200, {}, found)
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    def trusted(self, **changes: Any) -> TrustedIssuer:
        settled = {"issuer": self.url, "audiences": (AUDIENCE,), "keys_url": self.url + KEYS, **changes}
        return TrustedIssuer(**settled)

    def authenticator(
        self, clock: Clock, *more: TrustedIssuer, timeout_s: float = 5.0, **changes: Any
    ) -> Authenticator:
        """One that trusts this provider and `more`, with one clock for everything."""
        options = AuthOptions((self.trusted(**changes), *more), key_times=KeyTimes(timeout_s=timeout_s))
        return Authenticator(options, clock=clock, now=clock)

    def token(self, key: Any = None, kid: str | None = "k1", algorithm: str = "RS256", **claims: Any) -> str:
        return signed(claims_of(self.url, **claims), key or key_of(KINDS[algorithm]), kid, algorithm)
