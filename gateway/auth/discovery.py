"""Where a provider publishes its keys: the URL that the operator gave, or the one in the provider's metadata.

Source: OpenID Connect Discovery 1.0 section 4; RFC 8414 sections 3 and 3.3.
"""

import asyncio
from collections.abc import Mapping
from typing import cast
from urllib.parse import urlsplit, urlunsplit

import httpx2

from gateway.auth.documents import fetch_document
from gateway.auth.issuer import TrustedIssuer, url_fault
from gateway.auth.keyset import KeySet, key_set
from gateway.auth.refusals import IdentityUnavailable

Metadata = Mapping[str, object]


async def fetch_keys(client: httpx2.AsyncClient, issuer: TrustedIssuer, *, timeout_s: float) -> KeySet:
    """The provider's keys, at present, within `timeout_s` in all. Raises IdentityUnavailable."""
    try:
        async with asyncio.timeout(timeout_s):
            url = issuer.keys_url or endpoint_of(await fetch_metadata(client, issuer.issuer), "jwks_uri")
            return key_set(await fetch_document(client, url), issuer.algorithms)
    except TimeoutError:
        raise IdentityUnavailable(f"{issuer.issuer} did not answer within {timeout_s:g} s") from None


async def fetch_metadata(client: httpx2.AsyncClient, issuer: str) -> Metadata:
    """The first of the metadata documents that is there decides; whoever asks sets the deadline.

    Raises IdentityUnavailable.
    """
    faults: list[str] = []
    for url in metadata_urls(issuer):
        try:
            document = await fetch_document(client, url)
        except IdentityUnavailable as fault:
            faults.append(str(fault))
        else:
            return metadata_of(document, issuer)
    raise IdentityUnavailable("; ".join(faults))


def metadata_urls(issuer: str) -> tuple[str, ...]:
    """Where the metadata of `issuer` may be: behind its path for OpenID, in front of it for OAuth."""
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    openid = urlunsplit((parts.scheme, parts.netloc, f"{path}/.well-known/openid-configuration", "", ""))
    oauth = urlunsplit((parts.scheme, parts.netloc, f"/.well-known/oauth-authorization-server{path}", "", ""))
    return (openid, oauth)


def metadata_of(document: object, issuer: str) -> Metadata:
    """A metadata document, which must be that of exactly this issuer. Raises IdentityUnavailable."""
    metadata = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    if metadata.get("issuer") != issuer:
        raise IdentityUnavailable(f"the metadata names the issuer {metadata.get('issuer')!r:.200}, expected {issuer!r}")
    return metadata


def endpoint_of(metadata: Metadata, name: str) -> str:
    """The URL that metadata of an issuer has under a name. Raises IdentityUnavailable."""
    issuer, url = metadata["issuer"], metadata.get(name)
    if not isinstance(url, str):
        raise IdentityUnavailable(f"the metadata of {issuer} has no {name}")
    if fault := url_fault(url):
        raise IdentityUnavailable(f"the {name} of {issuer} is {url!r:.200}, which {fault}")
    return url
