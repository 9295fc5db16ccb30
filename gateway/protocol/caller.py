"""Who calls, for the request that is being served.

A web layer that knows sets `caller_var`; without one it is whoever the SDK's own layer let in.
"""

from contextvars import ContextVar

from mcp.server.auth.middleware.auth_context import get_access_token

from gateway.provider import Caller

ANONYMOUS = Caller()

caller_var: ContextVar[Caller | None] = ContextVar("caller", default=None)


def current_caller() -> Caller:
    """The caller of this request; anonymous without a token."""
    if (caller := caller_var.get()) is not None:
        return caller
    token = get_access_token()
    if token is None:
        return ANONYMOUS
    claims = token.claims or {}
    return Caller(str(claims.get("iss", "")), token.client_id, token.subject or "")
