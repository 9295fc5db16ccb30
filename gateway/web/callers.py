"""The ASGI layer that says who calls, in the words of a provider.

It stands behind whatever lets callers in. A caller is made once for each token and endpoint, because what
the rules of a policy grant to it costs more to find than all else a request does in memory.
"""

from collections.abc import Callable, Mapping

from cachetools import LRUCache
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.auth.principal import API_KEY_ISSUER, Principal
from gateway.policy.policy import Policy
from gateway.policy.rule import Facts
from gateway.protocol.caller import caller_var
from gateway.provider import Caller
from gateway.web.bearer import PrincipalUser

MakeCaller = Callable[[Principal | None, str], Caller]
"""A principal, None without one, and the path of an endpoint to its caller there."""

_REMEMBERED = 4096


def callers_under(policy: Policy, variants: Mapping[str, str]) -> MakeCaller:
    """Callers with what a policy grants to them. `variants` has those with a path of their own, by that path.

    Elsewhere a caller gets the variant that its rules say, or the default one.
    """

    def make(principal: Principal | None, endpoint: str) -> Caller:
        grants = policy.grants_of(facts_of(principal))
        variant = variants.get(endpoint) or policy.default_variant(grants)
        if principal is None:
            return Caller(variant=variant, grants=grants)
        return Caller(principal.issuer, principal.client, principal.subject, variant, grants)

    return make


def facts_of(principal: Principal | None) -> Facts:
    """What rules may ask of a principal."""
    if principal is None:
        return Facts()
    key = principal.subject if principal.issuer == API_KEY_ISSUER else ""
    return Facts(principal.scopes, principal.groups, key, principal.claims)


WITHOUT_RULES = callers_under(Policy(), {})


class Callers:
    """Wraps `app`, which is asked by no one but the callers that `make` makes."""

    def __init__(self, app: ASGIApp, make: MakeCaller) -> None:
        self._app, self._make = app, make
        # With the principal, so that no other one gets its id meanwhile.
        self._known = LRUCache[tuple[int, str], tuple[Principal | None, Caller]](_REMEMBERED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        user = scope.get("user")
        principal = user.principal if isinstance(user, PrincipalUser) else None
        token = caller_var.set(self._caller(principal, scope["path"]))
        try:
            await self._app(scope, receive, send)
        finally:
            caller_var.reset(token)

    def _caller(self, principal: Principal | None, endpoint: str) -> Caller:
        key = (id(principal), endpoint)
        try:
            return self._known[key][1]
        except KeyError:
            made = self._make(principal, endpoint)
        self._known[key] = (principal, made)
        return made
