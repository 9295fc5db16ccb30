"""The releases of a channel as a source, followed while the app runs, and telling its clients of each new one."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime

from gateway.doctor.facts import Failure
from gateway.errors import GatewayError
from gateway.objects import ObjectStore
from gateway.protocol.changes import ChangeSignal
from gateway.releases.follower import Follower
from gateway.releases.opened import Indexes, OpenRelease, Verify, trust_everything
from gateway.releases.options import ReleaseOptions
from gateway.releases.provider import ReleaseProvider
from gateway.releases.repository import Repository
from gateway.releases.updates import updated_uris
from gateway.settings import Settings
from gateway.sources.history import ChannelHistory
from gateway.sources.polling import polling
from gateway.sources.source import PATIENCE_S, Source
from gateway.web.status import SourceStatus

logger = logging.getLogger(__name__)


@asynccontextmanager
async def open_releases(store: ObjectStore, settings: Settings, signal: ChangeSignal) -> AsyncGenerator[Source]:
    """What the channel points at, or the one release that the settings name."""
    wanted = f"release {settings.release}" if settings.release else f"channel {settings.channel!r}"
    logger.info("source: releases under %r, %s", settings.prefix, wanted)

    async def tell(before: OpenRelease | None, after: OpenRelease) -> None:
        await signal.list_changed()
        if before is not None:
            try:
                uris = await updated_uris(before, after, provider.entries)
            except GatewayError as error:
                logger.info("what changed in release %s cannot be told: %s", after.id, error)
            else:
                await signal.resources_updated(uris)

    repository = Repository(store, settings.prefix)
    indexes = Indexes(repository, verify=_verifier(settings, repository))
    follower = Follower(indexes, settings.channel, release=settings.release, on_swap=tell)
    provider = ReleaseProvider(follower, release_options(settings))
    history = None if settings.release else ChannelHistory(repository, settings.channel, settings.mount_segments)
    async with polling(follower.look, settings.channel_poll_s, patience_s=PATIENCE_S):
        yield Source(
            provider,
            follower.ask,
            signals=not settings.release,
            status=lambda: _status(follower, provider),
            history=lambda: history,
        )


def _status(follower: Follower, provider: ReleaseProvider) -> SourceStatus:
    release, failure = follower.current, follower.failure
    return SourceStatus(
        "releases",
        release=release.id if release else "",
        channel=follower.channel,
        released_at=_moment(follower.moved_at),
        looked_at=follower.looked_at,
        failed_looks=dict(follower.failed_looks),
        skills=release.index.skills if release else 0,
        problems=provider.problems.all(),
        failure=Failure(failure.reason, str(failure)) if failure else None,
        fills=provider.fills,
    )


def _moment(written: str) -> datetime | None:
    """A time as a publish writes it; None for one that somebody else wrote."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _verifier(settings: Settings, repository: Repository) -> Verify:
    if not settings.trusted_keys:
        return trust_everything
    # Here and not at the top: who trusts no keys need not wait for the cryptography.
    from gateway.releases.signatures import trusted_keys
    from gateway.releases.trust import signed_by

    return signed_by(trusted_keys(settings.trusted_keys), repository)


def release_options(settings: Settings) -> ReleaseOptions:
    return ReleaseOptions(
        mount=settings.mount_segments,
        allow_binary=settings.allow_binary,
        max_file_bytes=settings.max_file_bytes,
        entry_cache_bytes=settings.entry_cache_bytes,
        content_cache_bytes=settings.content_cache_bytes,
    )
