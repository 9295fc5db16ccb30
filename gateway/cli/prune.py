"""`skills-gateway prune`: away with what no kept release needs."""

import asyncio
import json
import re
import time
from typing import Annotated

import typer

from gateway.cli import options, repository
from gateway.cli.terminal import result, talk
from gateway.errors import SettingsError
from gateway.releases.prune import Pruned, Rules
from gateway.releases.prune import prune as prune_releases
from gateway.settings import Settings

_DURATION = re.compile(r"([0-9]{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SAFE_GRACE_S = 86_400


def prune(
    target: repository.Target,
    keep: Annotated[int, typer.Option(min=1, help="Releases of each channel that stay, the current one counted.")],
    grace: Annotated[
        str, typer.Option(metavar="TIME", help="What is younger stays: 7d, 36h, 90m. Longer than any publish takes.")
    ] = "7d",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would go, and remove nothing.")] = False,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    as_json: repository.AsJson = False,
) -> None:
    """Remove releases that no channel needs any more, and the contents that only they have.

    What a channel points at stays, and the last releases of each channel. Prints the ids of what goes.
    """
    settings = repository.release_settings(target, config, endpoint_url, region)
    rules = Rules(keep, duration_s(grace), time.time())
    if rules.grace_s < _SAFE_GRACE_S:
        talk.print("[yellow]warning:[/] with a grace under one day nobody should publish while this runs")
    pruned = asyncio.run(_prune(settings, rules, is_dry=dry_run))
    if as_json:
        result(json.dumps(_document(pruned, is_dry=dry_run), indent=2))
    elif pruned.gone:
        result("\n".join(pruned.gone))
    talk.print(
        f"{'would remove' if dry_run else 'removed'} {len(pruned.gone)} releases, {len(pruned.removed)} objects, "
        f"{pruned.size_bytes:,} bytes; {len(pruned.kept)} releases stay, "
        f"and {pruned.young} objects that nobody needs but are young"
    )


def duration_s(text: str) -> float:
    """Seconds of `7d`, `36h`, `90m`, `30s`. Raises SettingsError."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise SettingsError(f"--grace is {text!r}: needs a number and s, m, h or d, such as 7d")
    return float(int(found[1]) * _SECONDS[found[2]])


def _document(pruned: Pruned, *, is_dry: bool) -> dict[str, object]:
    return {
        "removed": not is_dry,
        "kept": list(pruned.kept),
        "releases": list(pruned.gone),
        "objects": len(pruned.removed),
        "bytes": pruned.size_bytes,
        "young": pruned.young,
    }


async def _prune(settings: Settings, rules: Rules, *, is_dry: bool) -> Pruned:
    async with repository.open_repository(settings) as releases:
        with talk.status("looking for what nobody needs ...") as status:
            removed = 0

            def told(key: str) -> None:
                nonlocal removed
                removed += 1
                status.update(f"{removed} objects {'to remove' if is_dry else 'removed'} ...")

            return await prune_releases(releases, rules, is_dry=is_dry, told=told)
