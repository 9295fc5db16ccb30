"""`/statusz`: how this process is, for who runs it.

Texts of errors and names of refused skills are in it, so that a token must have a scope of its own; where nobody
needs a token it is there only for who is on the same machine.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gateway import __version__
from gateway.web.bearer import PrincipalUser
from gateway.web.denials import EARLY, Denials
from gateway.web.recent import RecentErrors
from gateway.web.status import status_document

PATH = "/statusz"

_HEADERS = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class Statusz:
    """`scopes` are all needed; none lets everybody read."""

    scopes: frozenset[str]
    denials: Denials
    recent: RecentErrors
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def route(self) -> Route:
        return Route(PATH, self._tell, methods=["GET"])

    async def _tell(self, request: Request) -> Response:
        if not self.scopes <= _scopes_of(request):
            text = f"This needs a token with the scope {' and '.join(sorted(self.scopes))} (GATEWAY_STATUS_SCOPES)"
            return PlainTextResponse(text, 403, _HEADERS)
        document = status_document(
            version=__version__,
            started_at=self.started_at,
            now=datetime.now(UTC),
            sources={name: view.status() for name, view in request.state.views.items()},
            pace=request.state.pace(),
            ready=(await request.state.health.verdict())[1],
            denials=self.denials.counts + EARLY.counts,
            errors=self.recent.seen,
        )
        return JSONResponse(document, headers=_HEADERS)


def _scopes_of(request: Request) -> frozenset[str]:
    user = request.scope.get("user")
    return frozenset(user.principal.scopes) if isinstance(user, PrincipalUser) else frozenset()
