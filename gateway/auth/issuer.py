"""What is believed of whom: the identity providers that the operator trusts. Pure.

Source: RFC 8414 section 2 (issuer identifiers); RFC 8725 sections 3.1, 3.8 and 3.9.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

ALGORITHMS: Mapping[str, tuple[str, str | None]] = {
    "RS256": ("RSA", None),
    "PS256": ("RSA", None),
    "ES256": ("EC", "P-256"),
    "EdDSA": ("OKP", "Ed25519"),
}
"""Every algorithm there is here, with the type and the curve of its keys. None takes a shared secret."""

DEFAULT_GROUPS_CLAIM = "groups"


@dataclass(frozen=True, slots=True)
class TrustedIssuer:
    """One identity provider.

    `issuer` is compared exactly with the `iss` of tokens: one slash at the end is another issuer. A token must name
    one of `audiences`. `keys_url` is the URL of its JSON Web Key Set; without one it is looked up in the provider's
    metadata. `groups_claim` is the claim with the groups, dots lead into it. Raises ValueError for what no
    provider may be trusted with.
    """

    issuer: str
    audiences: tuple[str, ...]
    keys_url: str | None = None
    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    groups_claim: str = DEFAULT_GROUPS_CLAIM

    def __post_init__(self) -> None:
        for url in (self.issuer, self.keys_url):
            if url is not None and (fault := url_fault(url)):
                raise ValueError(f"{url!r} {fault}")
        if "?" in self.issuer or "#" in self.issuer:
            raise ValueError(f"{self.issuer!r} has a query or a fragment, and no issuer does")
        if not self.audiences or not all(self.audiences):
            raise ValueError(f"{self.issuer} needs an audience that its tokens name, as https://skills.example.com/mcp")
        if not self.algorithms or not set(self.algorithms) <= set(ALGORITHMS):
            raise ValueError(f"algorithms are {list(self.algorithms)}; there are {', '.join(ALGORITHMS)}")


def url_fault(url: str) -> str | None:
    """What is wrong with a URL that keys come from: anybody on the way could change what plain HTTP brings."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is no URL"
    if not url.isascii() or not url.isprintable() or " " in url or not host:
        return "is no URL"
    if parts.username is not None or parts.password is not None:
        return "carries a user or password"
    if parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host)):
        return None
    return "must begin with https:// (http:// is for the loopback address alone)"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
