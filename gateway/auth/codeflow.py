"""The authorization code flow with PKCE, from the side of a client. Pure: random texts are arguments.

A provider without `S256` among its methods is not used; one that names no methods is taken to know it, as most that do
not say so do. Source: RFC 6749 sections 2.3.1, 3.1, 4.1; RFC 7636 section 4; RFC 8414 section 2; RFC 8707; RFC 9207.
"""

import base64
import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import cast
from urllib.parse import quote, quote_plus, urlencode

from gateway.auth.discovery import Metadata, endpoint_of
from gateway.auth.refusals import IdentityUnavailable

_BASIC, _POST = "client_secret_basic", "client_secret_post"
_ERROR = re.compile(r"[a-z_]{1,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CodeClient:
    """We, as a provider knows us. `secret` is empty for a public client; `resource` is what tokens are for."""

    client_id: str
    redirect_uri: str
    resource: str
    scopes: tuple[str, ...]
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class CodeProvider:
    """What the flow needs of a provider's metadata. `names_itself`: its answers carry `iss`."""

    issuer: str
    authorization_url: str
    token_url: str
    names_itself: bool = False
    takes_basic: bool = True


def provider_of(metadata: Metadata) -> CodeProvider:
    """Raises IdentityUnavailable for a provider that the flow cannot be done with."""
    methods = metadata.get("code_challenge_methods_supported")
    if isinstance(methods, list) and "S256" not in methods:
        raise IdentityUnavailable(f"{metadata['issuer']} has no S256 among its code_challenge_methods_supported")
    ways = metadata.get("token_endpoint_auth_methods_supported")
    return CodeProvider(
        issuer=cast("str", metadata["issuer"]),
        authorization_url=endpoint_of(metadata, "authorization_endpoint"),
        token_url=endpoint_of(metadata, "token_endpoint"),
        names_itself=metadata.get("authorization_response_iss_parameter_supported") is True,
        takes_basic=not isinstance(ways, list) or _BASIC in ways or _POST not in ways,
    )


def authorization_address(provider: CodeProvider, client: CodeClient, state: str, verifier: str) -> str:
    """Where a browser is sent to. `verifier` has 43 to 128 unreserved characters; only its digest is in the address."""
    asked = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": client.redirect_uri,
        "scope": " ".join(client.scopes),
        "state": state,
        "code_challenge": base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        "resource": client.resource,
    }
    url, _, _ = provider.authorization_url.partition("#")
    return f"{url}{'&' if '?' in url else '?'}{urlencode(asked, quote_via=quote)}"


def token_request(
    provider: CodeProvider, client: CodeClient, code: str, verifier: str
) -> tuple[dict[str, str], dict[str, str]]:
    """The form that a code is exchanged with, and the header fields that go with it."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": client.redirect_uri,
        "client_id": client.client_id,
        "code_verifier": verifier,
        "resource": client.resource,
    }
    if not client.secret:
        return form, {}
    if not provider.takes_basic:
        return form | {"client_secret": client.secret}, {}
    pair = f"{quote_plus(client.client_id)}:{quote_plus(client.secret)}"
    return form, {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def access_token_of(document: object, provider: CodeProvider) -> str:
    """The token of a token response. Raises IdentityUnavailable when there is none that a bearer can use."""
    answer = _members(document)
    token, kind = answer.get("access_token"), answer.get("token_type")
    if not isinstance(token, str) or not token or not isinstance(kind, str) or kind.lower() != "bearer":
        raise IdentityUnavailable(f"{provider.token_url} answered with no bearer token")
    return token


def error_of(document: object) -> str:
    """The provider's word for what was wrong; empty for what is none."""
    error = _members(document).get("error")
    return error if isinstance(error, str) and _ERROR.fullmatch(error) else ""


def _members(document: object) -> dict[str, object]:
    return cast("dict[str, object]", document) if isinstance(document, dict) else {}
