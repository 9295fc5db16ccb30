"""`skills-gateway releases`: the channels of a prefix, and where each pointed, newest first."""

import asyncio
import json

import typer
from rich.markup import escape

from gateway.cli import options, repository
from gateway.cli.terminal import EXIT_FAILED, CommandFailed, result, talk
from gateway.errors import ManifestRefused
from gateway.releases.documents import Pointer
from gateway.releases.layout import RELEASE_ID
from gateway.releases.repository import Repository
from gateway.settings import Settings
from gateway.skill.model import printable


def releases(
    target: repository.Target,
    channel: repository.OneChannel = None,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    as_json: repository.AsJson = False,
) -> None:
    """List channels, and the releases that each pointed at, newest first.

    The release marked `*` is the channel's current one. One marked `-` was pruned.
    """
    settings = repository.release_settings(target, config, endpoint_url, region)
    found, faults, there = asyncio.run(_read(settings, channel))
    if not found and not faults:
        raise CommandFailed(f"there is no channel at {repository.place_of(settings)}; publish makes one")
    if as_json:
        result(json.dumps({"channels": [_document(name, pointer, there) for name, pointer in found.items()]}, indent=2))
    elif found:
        result("\n".join(line for name, pointer in found.items() for line in _lines(name, pointer, there)))
    for fault in faults:
        talk.print(f"[bold red]error:[/] {escape(fault)}")
    if faults:
        raise typer.Exit(EXIT_FAILED)


async def _read(settings: Settings, channel: str | None) -> tuple[dict[str, Pointer], list[str], set[str]]:
    """Channels, what is wrong with others, and the ids of the releases that are there."""
    async with repository.open_repository(settings) as stored:
        if channel is not None:
            return {channel: (await repository.existing_pointer(stored, channel)).pointer}, [], await _there(stored)
        found: dict[str, Pointer] = {}
        faults: list[str] = []
        for name in await stored.channels():
            try:
                held = await stored.pointer(name)
            except ManifestRefused as refused:
                faults.append(str(refused))
            else:
                found |= {} if held is None else {name: held.pointer}
        return found, faults, await _there(stored)


async def _there(stored: Repository) -> set[str]:
    folder = stored.layout.releases
    names = [key.removeprefix(folder).removesuffix(".json") async for key in stored.keys(folder)]
    return {name for name in names if RELEASE_ID.fullmatch(name)}


def _document(channel: str, pointer: Pointer, there: set[str]) -> dict[str, object]:
    moves = [{**repository.move_document(move), "pruned": move.release not in there} for move in pointer.moves]
    return {"channel": channel, "current": pointer.current.release, "moves": moves}


def _lines(channel: str, pointer: Pointer, there: set[str]) -> list[str]:
    lines = [channel]
    for number, move in enumerate(pointer.moves):
        mark = "-" if move.release not in there else "*" if number == 0 else " "
        said = "  ".join(text for text in (printable(move.message), repository.labels_text(move.labels)) if text)
        lines.append(f"{mark} {move.release}  {printable(move.at)}  {printable(move.action):8}  {said}".rstrip())
    return lines
