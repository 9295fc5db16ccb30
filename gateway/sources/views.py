"""The variants of a gateway: a source, an adapter and a server for each, over one store."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server import Server

from gateway import __version__
from gateway.audit.journal import Journal
from gateway.objects import ObjectStore, Pace, PacedStore
from gateway.policy.policy import Policy
from gateway.policy.view import PolicyView
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.changes import ChangeSignal
from gateway.protocol.fallbacks import add_fallbacks
from gateway.protocol.listening import Listening
from gateway.protocol.metered import Observe, metered
from gateway.protocol.options import AdapterOptions
from gateway.protocol.server import build_server
from gateway.protocol.variants import VariantInfo, declare_variants
from gateway.protocol.warm import warm_answers
from gateway.provider import DEFAULT_VARIANT, Caller, WarmProvider
from gateway.settings import Settings
from gateway.sources.choice import open_source
from gateway.sources.seen import Seen, SeenBy
from gateway.sources.source import Source
from gateway.web.app import Backend, View
from gateway.web.lane import Lane

INSTRUCTIONS = (
    "This server publishes Agent Skills: folders of instructions and files that tell how to do a particular task well. "
    "Find one by the name and description of its skill://…/SKILL.md resource, read that file first, and read the "
    "files it mentions under the same path only when they are needed."
)


@dataclass(frozen=True, slots=True)
class Views:
    """Opens the views of one app. `keys` are the cursor ring of all of them."""

    settings: Settings
    policy: Policy
    keys: tuple[bytes, ...]
    observe: Callable[[str], Observe] | None = None
    """Gives what is told how each request of the SDK's to a variant ended."""

    @asynccontextmanager
    async def opened(
        self, store: ObjectStore, journal: Journal | None = None
    ) -> AsyncGenerator[tuple[Backend, Callable[[], None]]]:
        """What the app serves, and what ends the streams of its listeners."""
        signals: list[ChangeSignal] = []
        sources: list[Source] = []
        views: dict[str, View] = {}
        async with AsyncExitStack() as stack:
            for name in self.names:
                signals.append(ChangeSignal())
                settings = self.settings.of_variant(name)
                sources.append(await stack.enter_async_context(open_source(store, settings, signals[-1])))
                views[name] = self._view(name, sources[-1], signals[-1], journal)

            async def ask() -> None:
                await asyncio.gather(*(source.ask() for source in sources))

            def close() -> None:
                for signal in signals:
                    signal.close()

            def pace() -> Pace | None:
                return store.pace if isinstance(store, PacedStore) else None

            yield Backend(views, ask, pace), close

    @property
    def names(self) -> tuple[str, ...]:
        """The variants, the one without a name first."""
        return ("", *self.settings.variants)

    def seen_by(self, caller: Caller) -> tuple[str, ...]:
        """The variants a caller may know of."""
        return self.policy.variants_of(caller.grants, self.names)

    def _view(self, name: str, source: Source, signal: ChangeSignal, journal: Journal | None) -> View:
        provider = self._seen(source.provider)
        seen = SeenBy(source, provider) if isinstance(provider, PolicyView) else Seen(source)
        adapter = SkillsAdapter(provider, self._adapter_options(name), journal=journal)
        server = build_server(adapter, name="skills-gateway", version=__version__, instructions=INSTRUCTIONS)
        add_fallbacks(server, adapter, tools=self.settings.tools, prompts=self.settings.prompts)
        if source.signals:
            signal.connect(server, lambda handler: Listening(handler, adapter))
        if self.settings.variant_meta:
            declare_variants(server, self._infos)
        if self.observe is not None:
            server.middleware.insert(0, metered(self.observe(name or DEFAULT_VARIANT)))
        lane = self._lane(adapter, server)
        return View(
            server, lane, adapter, source.status, seen.problems, source.history, seen.sees, seen.sees_everything
        )

    def _lane(self, adapter: SkillsAdapter, server: Server[Any]) -> Lane | None:
        warm = warm_answers(adapter, server) if self.settings.fast_lane else None
        return None if warm is None else Lane(warm)

    def _seen(self, provider: WarmProvider) -> WarmProvider:
        if not self.policy.rules:
            return provider
        return PolicyView(provider, self.policy, owner_ttl_s=self.settings.freshness_s)

    def _infos(self, caller: Caller) -> list[VariantInfo]:
        known = self.settings.variants
        return [
            VariantInfo(name, known[name].description, known[name].status) if name else VariantInfo("")
            for name in self.seen_by(caller)
        ]

    def _adapter_options(self, variant: str) -> AdapterOptions:
        settings = self.settings
        return AdapterOptions(
            signing_keys=self.keys,
            directory_read=settings.directory_read,
            page_size=settings.page_size,
            cache_scope=settings.results_scope,
            # Clients keep answers by URI, which is the same in every variant.
            ttl_ms=0 if variant else settings.cache_ttl_ms,
            cursor_ttl_s=settings.cursor_ttl_s,
            request_timeout_s=settings.request_timeout_s,
            owner_ttl_s=settings.freshness_s,
            tells_variants=settings.variant_meta,
        )
