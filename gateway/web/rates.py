"""Who asks too often is turned away, by address and by principal.

By address in front of whatever looks at tokens, so that guessing them has a limit; by principal behind it.
Each process counts for itself. Source: RFC 6585 section 4 (429).
"""

import math
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.provider import Caller
from gateway.web.buckets import Buckets
from gateway.web.denials import Denials

_IPV6_BITS = 64
"""An IPv6 customer has a network of this length, and not an address."""


class AddressRate:
    """Wraps `app`, all of whose paths but `free_paths` count. A peer without an address, on a socket file, is free."""

    def __init__(self, app: ASGIApp, buckets: Buckets, denials: Denials, free_paths: Iterable[str]) -> None:
        self._app, self._buckets, self._denials, self._free = app, buckets, denials, frozenset(free_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if scope["type"] == "http" and client and scope["path"] not in self._free:
            address = network_of(client[0])
            if wait_s := self._buckets.take(address):
                self._denials.count("rate_address", f" from {address}")
                await too_many(wait_s)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class PrincipalRate:
    """How often one principal may ask. Anonymous callers are free here."""

    def __init__(self, buckets: Buckets, denials: Denials) -> None:
        self._buckets, self._denials = buckets, denials

    def refusal(self, caller: Caller) -> Response | None:
        """The answer to one that asks too often."""
        principal = caller.principal
        wait_s = self._buckets.take(principal) if any(principal) else 0.0
        if not wait_s:
            return None
        self._denials.count("rate_principal")
        return too_many(wait_s)


@lru_cache(4096)
def network_of(address: str) -> str:
    """What is counted together: an IPv4 address, an IPv6 network."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return "an odd address"
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, _IPV6_BITS), strict=False))


def too_many(wait_s: float) -> Response:
    headers = {"Retry-After": str(math.ceil(wait_s)), "Cache-Control": "no-store"}
    return JSONResponse({"error_description": "Too many requests; try again later"}, 429, headers)
