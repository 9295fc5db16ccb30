"""`skills-gateway verify`: whether all of a release is there and right."""

import asyncio
import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape

from gateway.cli import options, repository
from gateway.cli.terminal import EXIT_FAILED, CommandFailed, result, talk
from gateway.releases.documents import Index
from gateway.releases.reach import read_pointers
from gateway.releases.repository import Repository
from gateway.releases.verify import Report
from gateway.releases.verify import verify as verify_releases
from gateway.settings import Settings


def verify(
    target: repository.Target,
    reference: Annotated[
        str | None,
        typer.Argument(
            metavar="REF", help="A release, a channel, or CHANNEL~N; without it what any channel points at."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Believe the SHA-256 that the store keeps of an object, where it does.")
    ] = False,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    as_json: repository.AsJson = False,
) -> None:
    """Look at every object of a release: is it there, with the bytes that its digest says?

    Reads all of it. Each wrong object is named; exit code 1 when there is one.
    """
    settings = repository.release_settings(target, config, endpoint_url, region)
    releases, report = asyncio.run(_verify(settings, reference, is_quick=quick))
    if as_json:
        result(json.dumps({"releases": releases, **asdict(report)}, indent=2))
    elif report.wrong:
        result("\n".join(f"wrong  {wrong.key}: {wrong.detail}" for wrong in report.wrong))
    talk.print(
        f"{len(releases)} releases, {report.shards} shards, {report.blobs} blobs, {report.size_bytes:,} bytes: "
        + escape(f"{len(report.wrong)} wrong" if report.wrong else "all right")
    )
    if report.wrong:
        raise typer.Exit(EXIT_FAILED)


async def _verify(settings: Settings, reference: str | None, *, is_quick: bool) -> tuple[list[str], Report]:
    async with repository.open_repository(settings) as stored:
        indexes = await _indexes(stored, reference, repository.place_of(settings))
        with repository.bar("verifying") as progress:
            # Skills list the files of nested ones too, and share contents: the true total is known at the end.
            task = progress.add_task("", total=sum(len(index.shards) + index.files for index in indexes.values()))

            def told(report: Report) -> None:
                progress.update(task, completed=report.shards + report.blobs)

            return list(indexes), await verify_releases(stored, indexes.values(), is_quick=is_quick, told=told)


async def _indexes(stored: Repository, reference: str | None, place: str) -> dict[str, Index]:
    if reference is not None:
        release, digest = await stored.find(reference)
        return {release: await stored.index(release, digest)}
    moves = [held.pointer.current for held in (await read_pointers(stored)).values()]
    if not moves:
        raise CommandFailed(f"there is no channel at {place}; publish makes one")
    return {move.release: await stored.index(move.release, move.index) for move in moves}
