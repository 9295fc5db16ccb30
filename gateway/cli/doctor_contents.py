"""What lies under the prefix, for `doctor`: a bounded look at skills, or at each channel and its release."""

from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic

from gateway.cli.logs import problems_left_to_the_result
from gateway.doctor.facts import ChannelSeen, ContentsSeen, Failure
from gateway.errors import GatewayError
from gateway.objects import ObjectStore
from gateway.provider import Caller, Page
from gateway.releases.opened import Indexes, OpenRelease, Verify, trust_everything
from gateway.releases.repository import Repository
from gateway.settings import Settings
from gateway.skill.model import Problem, SkillPath

MOST_SKILLS = 500
MOST_SHARDS = 20
MOST_CHANNELS = 20
_PAGE = 50


async def look_at_contents(store: ObjectStore, settings: Settings, *, stop_at: float) -> ContentsSeen:
    """Raises GatewayError when what lies there cannot be told.

    A long tree is cut after `MOST_SKILLS`, or the page that ends past `stop_at` on the monotonic clock.
    """
    from gateway.sources.choice import has_channels

    has_releases = bool(settings.release) or settings.source == "releases"
    if settings.source == "auto" and not has_releases:
        has_releases = await has_channels(store, settings.prefix)
    with problems_left_to_the_result():
        return await (_releases(store, settings) if has_releases else _tree(store, settings, stop_at))


async def _tree(store: ObjectStore, settings: Settings, stop_at: float) -> ContentsSeen:
    from gateway.sources.tree import tree_options
    from gateway.tree.provider import TreeProvider

    problems: list[Problem] = []
    served: set[SkillPath] = set()
    provider = TreeProvider(store, tree_options(settings), on_problem=problems.append)
    position: str | None = None
    while True:
        page = await provider.list(Page(limit=_PAGE, position=position), Caller())
        served.update(entry.path for entry in page.entries)
        position = page.position
        if position is None or len(served) + len(problems) >= MOST_SKILLS or monotonic() > stop_at:
            break
    refused = tuple(problem for problem in problems if problem.where not in served)
    return ContentsSeen("tree", place_of(settings), len(served), refused, position is not None)


async def _releases(store: ObjectStore, settings: Settings) -> ContentsSeen:
    repository = Repository(store, settings.prefix)
    indexes = Indexes(repository, verify=_verifier(settings, repository))
    if settings.release:
        seen = [await _pinned(repository, indexes, settings.release)]
    else:
        names = sorted(await repository.channels(), key=lambda name: name != settings.channel)
        seen = [await _channel(repository, indexes, name) for name in names[:MOST_CHANNELS]]
    wanted = settings.release or settings.channel
    skills = sum(channel.skills for channel in seen if channel.name == wanted)
    return ContentsSeen("releases", place_of(settings), skills, channels=tuple(seen), wanted_channel=wanted)


async def _pinned(repository: Repository, indexes: Indexes, release: str) -> ChannelSeen:
    """The one release that the settings name, as a channel of that name that never moves."""
    try:
        return await _release(repository, await indexes.find(release), ChannelSeen(release, release))
    except GatewayError as error:
        return ChannelSeen(release, release, fault=Failure(error.reason, str(error)))


async def _channel(repository: Repository, indexes: Indexes, name: str) -> ChannelSeen:
    seen = ChannelSeen(name)
    try:
        held = await repository.pointer(name)
        if held is None:
            return replace(seen, fault=Failure("channel_missing", "it went away meanwhile"))
        move = held.pointer.current
        seen = replace(seen, release=move.release, moved_at=_time_of(move.at))
        return await _release(repository, await indexes.open(move.release, move.index), seen)
    except GatewayError as error:
        return replace(seen, fault=Failure(error.reason, str(error)))


async def _release(repository: Repository, opened: OpenRelease, seen: ChannelSeen) -> ChannelSeen:
    """`seen` with what is true of its release, whose first shards are read. Raises GatewayError."""
    every = opened.index.shards
    for row in every[:MOST_SHARDS]:
        await repository.shard(row)
    return replace(
        seen,
        skills=opened.index.skills,
        shards=min(len(every), MOST_SHARDS),
        signer=opened.signer or "",
        is_cut=len(every) > MOST_SHARDS,
    )


def _verifier(settings: Settings, repository: Repository) -> Verify:
    if not settings.trusted_keys:
        return trust_everything
    from gateway.releases.signatures import trusted_keys
    from gateway.releases.trust import signed_by

    return signed_by(trusted_keys(settings.trusted_keys), repository)


def _time_of(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def place_of(settings: Settings) -> str:
    return f"s3://{settings.bucket}/{settings.prefix}"
