"""`skills-gateway diff`: what one release has that another has not."""

import asyncio
import json
from dataclasses import asdict

from gateway.cli import options, repository
from gateway.cli.terminal import result, talk
from gateway.releases.changes import Changes, changes_between
from gateway.settings import Settings
from gateway.skill.model import printable


def diff(
    target: repository.Target,
    a: repository.Reference,
    b: repository.Reference,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    as_json: repository.AsJson = False,
) -> None:
    """Show which skills and files differ between two releases.

    Each is the id of a release, a channel, or CHANNEL~N: `diff s3://bucket/prefix stable~1 stable` shows
    what the last move of a channel brought.
    """
    settings = repository.release_settings(target, config, endpoint_url, region)
    first, second, changes = asyncio.run(_diff(settings, a, b))
    lines = change_lines(changes)
    document = {"from": first, "to": second, "changes": asdict(changes)}
    if as_json or lines:
        result(json.dumps(document, indent=2) if as_json else "\n".join(lines))
    talk.print(f"{first} to {second}: {summary(changes)}")


def change_lines(changes: Changes) -> list[str]:
    """A line for each skill, then for each file, for people."""
    kinds = (
        ("added    ", changes.added, changes.files_added),
        ("removed  ", changes.removed, changes.files_removed),
        ("changed  ", changes.changed, changes.files_changed),
    )
    skills = [f"{kind}skill  {printable(path)}" for kind, paths, _ in kinds for path in paths]
    return skills + [f"{kind}file   {printable(path)}" for kind, _, paths in kinds for path in paths]


def summary(changes: Changes) -> str:
    if changes.is_empty:
        return "no skill differs"
    counts = ((changes.added, "added"), (changes.removed, "removed"), (changes.changed, "changed"))
    return f"skills: {', '.join(f'{len(paths)} {what}' for paths, what in counts)}"


async def _diff(settings: Settings, a: str, b: str) -> tuple[str, str, Changes]:
    async with repository.open_repository(settings) as releases:
        first, second = await releases.find(a), await releases.find(b)
        old, new = await releases.index(*first), await releases.index(*second)
        return first[0], second[0], await changes_between(releases, old, new)
