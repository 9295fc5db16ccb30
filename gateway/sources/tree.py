"""A live tree as a source, and telling its clients that something in it changed, when that is asked for."""

import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from gateway.objects import ObjectStore
from gateway.protocol.changes import ChangeSignal
from gateway.settings import Settings
from gateway.sources.polling import polling
from gateway.sources.source import PATIENCE_S, Source
from gateway.tree.fingerprint import TreeWatch
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider
from gateway.web.status import SourceStatus

logger = logging.getLogger(__name__)


@asynccontextmanager
async def open_tree(store: ObjectStore, settings: Settings, signal: ChangeSignal) -> AsyncGenerator[Source]:
    """The tree under the prefix."""
    logger.info("source: the tree of skills under %r", settings.prefix)
    options = tree_options(settings)
    async with AsyncExitStack() as watching:
        if settings.tree_poll_s > 0:
            watch = TreeWatch(store, options, signal.list_changed)
            await watching.enter_async_context(polling(watch.look, settings.tree_poll_s, patience_s=PATIENCE_S))
        provider = TreeProvider(store, options)
        yield Source(
            provider,
            lambda: store.list_page(settings.prefix, max_keys=1),
            signals=settings.tree_poll_s > 0,
            status=lambda: SourceStatus("tree", problems=provider.problems.all(), fills=provider.fills),
            history=lambda: None,
        )


def tree_options(settings: Settings) -> TreeOptions:
    return TreeOptions(
        prefix=settings.prefix,
        mount=settings.mount_segments,
        allow_binary=settings.allow_binary,
        max_file_bytes=settings.max_file_bytes,
        max_hash_bytes=settings.max_hash_bytes,
        max_skill_keys=settings.max_skill_keys,
        freshness_s=settings.freshness_s,
        stale_if_error_s=settings.stale_if_error_s,
        entry_cache_bytes=settings.entry_cache_bytes,
        content_cache_bytes=settings.content_cache_bytes,
    )
