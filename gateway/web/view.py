"""What the callers of one variant are served, and what else is known of it: for MCP and for the routes beside it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcp.server import Server
from starlette.requests import Request

from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.caller import current_caller
from gateway.provider import Caller
from gateway.skill.model import Problem
from gateway.web.lane import Lane
from gateway.web.status import SourceStatus


@dataclass(frozen=True, slots=True)
class Step:
    """One time that a channel was pointed somewhere: `number` counts from the newest, 0; `at` as it was written."""

    number: int
    release: str
    at: str
    action: str
    message: str = ""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class StepChanges:
    """What a step brought: paths of skills, each sorted."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class History(Protocol):
    """Where a source stood before. Raises ServerFault when the store cannot tell."""

    async def steps(self) -> Sequence[Step]:
        """The newest first."""
        ...

    async def changes(self, number: int) -> StepChanges | None:
        """What a step brought; None when there is no such step, or a release of it is gone."""
        ...


def _unknown() -> SourceStatus:
    return SourceStatus("unknown")


def _no_history() -> History | None:
    return None


async def _sees_each(path: str, caller: Caller) -> bool:
    return True


def _sees_everything(caller: Caller) -> bool:
    return True


async def _no_problems(caller: Caller) -> Sequence[Problem]:
    return ()


@dataclass(frozen=True, slots=True)
class View:
    """The MCP server of a variant, and what it asks.

    `lane` answers what it can without the server; without one the server answers everything. `status` tells how its
    source is, whoever asks; `problems` what a caller may know of what is refused; `history` where the source stood
    before, if it knows, of which a caller is told what it `sees`.
    """

    server: Server[Any]
    lane: Lane | None = None
    adapter: SkillsAdapter | None = None
    status: Callable[[], SourceStatus] = _unknown
    problems: Callable[[Caller], Awaitable[Sequence[Problem]]] = _no_problems
    history: Callable[[], History | None] = _no_history
    sees: Callable[[str, Caller], Awaitable[bool]] = _sees_each
    sees_everything: Callable[[Caller], bool] = _sees_everything


def view_of(request: Request, caller: Caller | None = None) -> View:
    """The view that a caller gets, that of the request unless told otherwise; `current_caller` says who that is."""
    views: Mapping[str, View] = request.state.views
    return views[(caller or current_caller()).variant]
