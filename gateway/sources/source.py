"""One source as the app sees it, whatever it is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gateway.provider import WarmProvider
from gateway.web.status import SourceStatus
from gateway.web.view import History

PATIENCE_S = 5.0
"""So long a start waits for the store, and then goes on without it."""


@dataclass(frozen=True, slots=True)
class Source:
    """`ask` raises GatewayError when the source cannot serve; `signals`: it may tell that it changed.

    `status` tells how it is, and what it refuses; `history` is None for one that has none, or is not known yet.
    """

    provider: WarmProvider
    ask: Callable[[], Awaitable[object]]
    signals: bool
    status: Callable[[], SourceStatus]
    history: Callable[[], History | None]
