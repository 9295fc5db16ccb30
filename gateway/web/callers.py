"""Who calls, in the words of a provider.

A caller is made once for each token and endpoint, because what the rules of a policy grant to it costs more
to find than all else a request does in memory.
"""

from collections.abc import Callable, Mapping

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.types import Scope

from gateway.auth.principal import API_KEY_ISSUER, Principal
from gateway.policy.policy import Policy
from gateway.policy.rule import Facts
from gateway.protocol.caller import current_caller
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
    """The callers that `make` makes, each once."""

    def __init__(self, make: MakeCaller) -> None:
        self._make = make
        # With the principal, so that no other one gets its id meanwhile. All are forgotten when there are too many: to
        # keep the order of their use costs more than to make them again.
        self._known = dict[tuple[int, str], tuple[Principal | None, Caller]]()

    def find(self, scope: Scope) -> Caller:
        """Who sent the request of a scope."""
        user = scope.get("user")
        if isinstance(user, AuthenticatedUser) and not isinstance(user, PrincipalUser):
            return current_caller()  # let in by layers of the SDK's own, in front of `http_app`
        principal = user.principal if isinstance(user, PrincipalUser) else None
        endpoint = scope["path"]
        known = self._known.get((id(principal), endpoint))
        if known is not None:
            return known[1]
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        made = self._make(principal, endpoint)
        self._known[id(principal), endpoint] = (principal, made)
        return made
