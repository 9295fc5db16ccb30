"""An app with a journal, and with the fast lane or without, over any provider."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from gateway.audit.journal import Journal
from gateway.cursor import CursorSealer
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.options import AdapterOptions
from gateway.protocol.paging import Pager
from gateway.protocol.server import build_server
from gateway.protocol.warm import warm_answers
from gateway.provider import Caller, SkillProvider
from gateway.web.app import Backend, View, WebOptions, create_web_app
from gateway.web.hosts import host_rules
from gateway.web.lane import Lane
from tests.protocol.host import Host, serving
from tests.protocol.providers import KEY

ANYONE = Caller()
NOW = 1_800_000_000.0
"""The clock of cursors stands still, so that two apps seal the same ones."""


def host_over(
    provider: SkillProvider, journal: Journal | None, *, has_lane: bool, caller: Caller = ANYONE, **options: Any
) -> AbstractAsyncContextManager[Host]:
    """Everybody who calls is `caller`."""
    settings = AdapterOptions((KEY,), **{"directory_read": True, "page_size": 2, **options})
    pager = Pager(settings, CursorSealer([KEY]), lambda: NOW)
    adapter = SkillsAdapter(provider, settings, pager=pager, journal=journal)
    server = build_server(adapter, name="test", version="1", instructions="Read on.")

    async def nothing() -> None: ...

    @asynccontextmanager
    async def open_backend() -> AsyncIterator[Backend]:
        warm = warm_answers(adapter, server) if has_lane else None
        yield Backend({caller.variant: View(server, None if warm is None else Lane(warm))}, nothing)

    rules = host_rules(["127.0.0.1:*"], ["http://127.0.0.1:*"])
    return serving(create_web_app(open_backend, WebOptions(rules, make_caller=lambda principal, endpoint: caller)))
