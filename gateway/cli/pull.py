"""`skills-gateway pull`: a release as a folder."""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from gateway.cli import options, repository
from gateway.cli.terminal import result, talk
from gateway.releases.pull import Pulled, free_folder
from gateway.releases.pull import pull as pull_release
from gateway.settings import Settings


def pull(
    target: repository.Target,
    reference: repository.Reference,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write to; new, or empty.")],
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    as_json: repository.AsJson = False,
) -> None:
    """Write a release to a folder, every file checked against its digest.

    The folder is there with all of it, or as it was. Prints the id of the release.
    """
    settings = repository.release_settings(target, config, endpoint_url, region)
    free_folder(folder)
    release, pulled = asyncio.run(_pull(settings, reference, folder))
    document = {
        "release": release,
        "folder": str(folder),
        "skills": pulled.skills,
        "files": pulled.files,
        "bytes": pulled.size_bytes,
    }
    result(json.dumps(document, indent=2) if as_json else release)
    talk.print(escape(f"{pulled.skills} skills, {pulled.files} files, {pulled.size_bytes:,} bytes in {folder}"))


async def _pull(settings: Settings, reference: str, folder: Path) -> tuple[str, Pulled]:
    async with repository.open_repository(settings) as stored:
        release, digest = await stored.find(reference)
        index = await stored.index(release, digest)
        with repository.bar("downloading") as progress:
            task = progress.add_task("", total=index.files)

            def told(pulled: Pulled) -> None:
                progress.update(task, completed=pulled.files)

            return release, await pull_release(stored, index, folder, told=told)
