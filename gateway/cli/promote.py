"""`skills-gateway promote`: one channel to what another one points at."""

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Annotated

import typer

from gateway.cli import options, repository
from gateway.cli.terminal import result, talk
from gateway.releases.documents import Pointer
from gateway.releases.layout import is_channel
from gateway.releases.moves import labels_by_release, repoint
from gateway.releases.repository import Repository
from gateway.settings import Settings


def promote(
    target: repository.Target,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A channel, a release, or CHANNEL~N.")],
    channel: Annotated[
        str, typer.Argument(metavar="TO", help="Channel that is moved, or made.", callback=repository.channel_name)
    ],
    message: repository.Message = "",
    label: repository.Labels = None,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    as_json: repository.AsJson = False,
) -> None:
    """Point channel TO at the release of channel FROM.

    Nothing is uploaded: what was tried in one channel is, byte for byte, what the other one gets. Prints
    the id of the release.
    """
    settings = repository.release_settings(target, config, endpoint_url, region)
    before, after = asyncio.run(_promote(settings, source, channel, message, label))
    document = repository.moved_document(channel, before, after)
    result(json.dumps(document, indent=2) if as_json else after.current.release)
    talk.print(repository.moved_text(channel, before, after))


async def _promote(
    settings: Settings, source: str, channel: str, message: str, label: list[str] | None
) -> tuple[Pointer | None, Pointer]:
    async with repository.open_repository(settings) as releases:
        release = await releases.find(source)
        labels = repository.all_labels(label, os.environ, await _labels(releases, source, release[0]))
        move = repository.move_now(release, "promote", message, labels)
        held = await releases.pointer(channel)
        if held is not None and held.pointer.current.index == move.index:
            return held.pointer, held.pointer
        return held.pointer if held else None, (await repoint(releases, channel, held, move)).pointer


async def _labels(releases: Repository, source: str, release: str) -> Mapping[str, str]:
    """What the release was published with: they tell of it, and not of who promotes it."""
    channel = source.partition("~")[0]
    held = await releases.pointer(channel) if is_channel(channel) else None
    return {} if held is None else labels_by_release(held.pointer.moves).get(release, {})
