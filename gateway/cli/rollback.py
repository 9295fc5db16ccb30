"""`skills-gateway rollback`: a channel back to an earlier release."""

import asyncio
import json
import os
from typing import Annotated

import typer

from gateway.cli import options, repository
from gateway.cli.terminal import result, talk
from gateway.releases.documents import Pointer
from gateway.releases.moves import earlier_release, named_release, repoint
from gateway.settings import Settings


def rollback(
    target: repository.Target,
    channel: repository.Channel = "stable",
    to: Annotated[
        str | None,
        typer.Option(metavar="REF", help="A release, or CHANNEL~N; without it the last other one of the channel."),
    ] = None,
    message: repository.Message = "",
    label: repository.Labels = None,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    as_json: repository.AsJson = False,
) -> None:
    """Point a channel back at an earlier release.

    Gateways that follow the channel serve it within their poll interval. Prints the id of the release.
    """
    settings = repository.release_settings(target, config, endpoint_url, region)
    before, after = asyncio.run(_rollback(settings, channel, to, message, label))
    document = repository.moved_document(channel, before, after)
    result(json.dumps(document, indent=2) if as_json else after.current.release)
    talk.print(repository.moved_text(channel, before, after))


async def _rollback(
    settings: Settings, channel: str, to: str | None, message: str, label: list[str] | None
) -> tuple[Pointer, Pointer]:
    async with repository.open_repository(settings) as releases:
        held = await repository.existing_pointer(releases, channel)
        if to is None:
            release = earlier_release(channel, held.pointer)
        else:
            release = await named_release(releases, to, held.pointer)
        move = repository.move_now(release, "rollback", message, repository.all_labels(label, os.environ))
        if move.index == held.pointer.current.index:
            return held.pointer, held.pointer
        return held.pointer, (await repoint(releases, channel, held, move)).pointer
