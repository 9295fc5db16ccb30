"""The ASGI layer that lets nobody in without a bearer token that is good.

Whatever is not said to be open is closed. A token counts only in the Authorization header, and that only
once. Whoever was let in is found where the SDK looks: `scope["user"]`, `scope["auth"]`, and the context of the
request. The token itself goes no further. `receive` is handed on as it came.
Source: RFC 6750 sections 2.1 and 3; RFC 9728 sections 3 and 5.1; MCP 2026-07-28, Authorization.
"""

import logging
import re
from collections.abc import Iterable, Sequence

from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.authentication import AuthCredentials
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.auth.authenticator import Authenticator
from gateway.auth.principal import Principal
from gateway.auth.refusals import IdentityUnavailable, TokenRefused
from gateway.auth.resource import ProtectedResource
from gateway.auth.token import MAX_TOKEN_BYTES
from gateway.web.denials import Denials

logger = logging.getLogger(__name__)

_DISCOVERY = tuple(
    f"/.well-known/{name}"
    for name in ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
)
"""Clients look here before they have a token: what is not there must be absent, and not ask for one."""
_AUTHORIZATION = b"authorization"
_CREDENTIALS = re.compile(rb"bearer(?: +(.*))?", re.IGNORECASE | re.DOTALL)
_BEARER = b"Bearer "
"""As nearly all clients write it."""
_TOKEN = re.compile(rb"[A-Za-z0-9._~+/-]+=*")
_NO_TOKEN = "This server needs a bearer token in the Authorization header"  # noqa: S105
_METADATA_HEADERS = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=3600"}
_METADATA_VERBS = "GET, HEAD, OPTIONS"


class PrincipalUser(AuthenticatedUser):
    """What the SDK knows a caller by, and who the caller is."""

    def __init__(self, principal: Principal, resource: str) -> None:
        claims = {**principal.claims, "iss": principal.issuer}
        super().__init__(
            AccessToken(
                token="",
                client_id=principal.client,
                scopes=sorted(principal.scopes),
                expires_at=principal.expires_at,
                resource=resource,
                subject=principal.subject,
                claims=claims,
            )
        )
        self.principal = principal
        self.credentials = AuthCredentials(self.scopes)


class Bearer:
    """Wraps `app`, all of whose paths but `public_paths` and those of discovery need a token.

    `resources` are the endpoints, at least one; the first one's challenge answers for paths that are none. Requests for
    metadata should get here whatever their Origin is: `metadata_paths` names them.
    """

    def __init__(
        self,
        app: ASGIApp,
        authenticator: Authenticator,
        resources: Sequence[ProtectedResource],
        public_paths: Iterable[str] = (),
        denials: Denials | None = None,
    ) -> None:
        self._denials = denials or Denials()
        self._app, self._authenticator, self._public = app, authenticator, frozenset(public_paths)
        self._first, self._by_path = resources[0], {resource.path: resource for resource in resources}
        self._required = {resource.path: frozenset(resource.required_scopes) for resource in resources}
        self._users = dict[tuple[int, str], PrincipalUser]()
        self._metadata = {one.metadata_path: one.metadata for one in resources if one.authorization_servers}

    @property
    def metadata_paths(self) -> frozenset[str]:
        return frozenset(self._metadata)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user = self._known_user(scope) if scope["type"] == "http" else None
        if user is not None:
            await self._serve(user, scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["path"] in self._metadata:
            await self._tell(scope["path"], scope["method"])(scope, receive, send)
        elif scope["path"] in self._public or _is_discovery(scope["path"]):
            await self._app(scope, receive, send)
        else:
            await self._let_in(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        resource = self._by_path.get(scope["path"], self._first)
        found = await self._user(scope, resource)
        if isinstance(found, Response):
            await found(scope, receive, send)
            return
        await self._serve(found, scope, receive, send)

    async def _serve(self, user: PrincipalUser, scope: Scope, receive: Receive, send: Send) -> None:
        context = auth_context_var.set(user)
        try:
            await self._app({**scope, "user": user, "auth": user.credentials}, receive, send)
        finally:
            auth_context_var.reset(context)

    def _known_user(self, scope: Scope) -> PrincipalUser | None:
        """Who calls an endpoint with a token that was good a moment ago; None for all else, which `_let_in` judges."""
        if (resource := self._by_path.get(scope["path"])) is None:
            return None
        found = None
        for name, value in scope["headers"]:
            if name == _AUTHORIZATION:
                if found is not None:
                    return None
                found = value
        if found is None or found[: len(_BEARER)] != _BEARER:
            return None
        principal = self._authenticator.remembered(found[len(_BEARER) :])
        if principal is None or not self._required[resource.path] <= principal.scopes:
            return None
        return self._user_of(principal, resource)

    async def _user(self, scope: Scope, resource: ProtectedResource) -> PrincipalUser | Response:
        """Who calls, or the answer to a caller that may not."""
        fields = [value for name, value in scope["headers"] if name == _AUTHORIZATION]
        if len(fields) > 1:
            self._count("two_tokens")
            return _refusal(400, resource, "invalid_request", "There must be one Authorization header")
        credentials = _CREDENTIALS.fullmatch(fields[0].strip(b" \t")) if fields else None
        if credentials is None:
            self._count("no_token")
            return _refusal(401, resource, None, _NO_TOKEN)
        try:
            principal = await self._principal(credentials[1] or b"")
        except TokenRefused as refused:
            logger.info("a bearer token was refused: %s", refused.cause)
            self._count(f"token_{refused.cause}")
            return _refusal(401, resource, "invalid_token", str(refused))
        except IdentityUnavailable as fault:
            self._count("identity_unavailable")
            return _unavailable(fault)
        if not self._required[resource.path] <= principal.scopes:
            missing = " ".join(sorted(self._required[resource.path] - principal.scopes))
            logger.info("a bearer token was refused: insufficient_scope, it lacks %s", missing)
            self._count("token_insufficient_scope")
            return _refusal(403, resource, "insufficient_scope", "The access token lacks a scope that is needed here")
        return self._user_of(principal, resource)

    def _count(self, reason: str) -> None:
        self._denials.count(reason, level=logging.DEBUG)

    def _user_of(self, principal: Principal, resource: ProtectedResource) -> PrincipalUser:
        """One for all requests of a token: to make it costs as much as all the rest."""
        # The user keeps the principal, so that no other one gets its id meanwhile.
        key = (id(principal), resource.path)
        user = self._users.get(key)
        if user is None:
            # All are forgotten when there are too many: to keep the order of their use costs more.
            if len(self._users) >= self._authenticator.options.max_remembered:
                self._users.clear()
            user = self._users[key] = PrincipalUser(principal, resource.url)
        return user

    async def _principal(self, token: bytes) -> Principal:
        if len(token) > MAX_TOKEN_BYTES:
            raise TokenRefused("too_long")
        if not _TOKEN.fullmatch(token):
            raise TokenRefused("malformed")
        return await self._authenticator.authenticate(token.decode("ascii"))

    def _tell(self, path: str, verb: str) -> Response:
        if verb == "OPTIONS":
            allowed = {"Access-Control-Allow-Methods": _METADATA_VERBS, "Access-Control-Allow-Headers": "*"}
            return Response(status_code=204, headers=_METADATA_HEADERS | allowed)
        if verb not in ("GET", "HEAD"):
            return Response(status_code=405, headers={"Allow": _METADATA_VERBS})
        return JSONResponse(self._metadata[path], headers=_METADATA_HEADERS)


def _is_discovery(path: str) -> bool:
    return path.startswith(_DISCOVERY) and any(path == one or path.startswith(f"{one}/") for one in _DISCOVERY)


def _refusal(status: int, resource: ProtectedResource, error: str | None, description: str) -> Response:
    """A request without a token is told no error, as there was none."""
    told = {"error": error, "error_description": description}
    challenge = resource.challenge(error, description if error else None)
    body = {name: value for name, value in told.items() if value is not None}
    return JSONResponse(body, status, {"WWW-Authenticate": challenge, "Cache-Control": "no-store"})


def _unavailable(fault: IdentityUnavailable) -> Response:
    headers = {"Retry-After": str(fault.retry_after_s), "Cache-Control": "no-store"}
    return JSONResponse({"error_description": "Whether the token is good cannot be told now"}, 503, headers)
