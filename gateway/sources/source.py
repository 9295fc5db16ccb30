"""One source as the app sees it, whatever it is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gateway.provider import WarmProvider

PATIENCE_S = 5.0
"""So long a start waits for the store, and then goes on without it."""


@dataclass(frozen=True, slots=True)
class Source:
    """`ask` raises GatewayError when the source cannot serve; `signals`: it may tell that it changed."""

    provider: WarmProvider
    ask: Callable[[], Awaitable[object]]
    signals: bool
