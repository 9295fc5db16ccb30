"""Which source: the one that the settings name, or for `auto` the one that the prefix has when the app starts.

Channels make it a prefix of releases. A store that does not answer at the start is asked again by
whoever wants something, so that the app starts all the same.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from gateway.errors import StoreError
from gateway.objects import ObjectStore
from gateway.protocol.changes import ChangeSignal
from gateway.releases.layout import Layout, is_channel
from gateway.settings import Settings
from gateway.skill.model import SKILL_MD
from gateway.sources.late import LateSource
from gateway.sources.releases import open_releases
from gateway.sources.source import PATIENCE_S, Source
from gateway.sources.tree import open_tree

logger = logging.getLogger(__name__)


@asynccontextmanager
async def open_source(store: ObjectStore, settings: Settings, signal: ChangeSignal) -> AsyncGenerator[Source]:
    """The source of these settings, for as long as the block lasts."""
    async with AsyncExitStack() as opened:

        async def choose() -> Source:
            has_releases = bool(settings.release) or settings.source == "releases"
            if settings.source == "auto" and not has_releases:
                has_releases = await has_channels(store, settings.prefix)
            opener = open_releases if has_releases else open_tree
            return await opened.enter_async_context(opener(store, settings, signal))

        late = LateSource(choose, "/".join(settings.mount_segments))
        try:
            async with asyncio.timeout(2 * PATIENCE_S):
                source = await late.choose()
        except (StoreError, TimeoutError) as error:
            logger.warning("source: not known yet, as the store does not answer; it is asked again: %s", error)
            source = Source(late, late.ask, signals=True, status=late.status, history=late.history)
        yield source


async def has_channels(store: ObjectStore, prefix: str) -> bool:
    """Whether a publish has been here: there are channels, and they are not the files of a skill of that name."""
    under = Layout(prefix).channels
    page = await store.list_page(under, by_directory=True)
    names = [listed.key.removeprefix(under) for listed in page.objects]
    return SKILL_MD not in names and any(
        name.endswith(".json") and is_channel(name.removesuffix(".json")) for name in names
    )
