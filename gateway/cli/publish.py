"""`skills-gateway publish`: a folder of skills as a release, and a channel pointed at it.

Nothing is uploaded before every skill has been looked at, nobody sees anything before the channel moves.
"""

import asyncio
import json
import os
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli import options, repository
from gateway.cli.diff import change_lines
from gateway.cli.folder import SkillFolder, Survey
from gateway.cli.lint_folder import LintFolder, facts_of_folder
from gateway.cli.lint_output import finding_line, shown_from_here
from gateway.cli.lint_policy import lint_policy
from gateway.cli.terminal import CommandFailed, result, talk
from gateway.errors import SettingsError
from gateway.lint.lint import lint
from gateway.releases.changes import Changes, changes_between
from gateway.releases.publish import Plan, Published, Sign, Step, Terms
from gateway.releases.publish import publish as publish_release
from gateway.releases.repository import Repository
from gateway.releases.shards import Release, make_release
from gateway.settings import Settings
from gateway.skill.model import SkillEntry, SkillPath


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the flags ask for."""

    folder: Path
    terms: Terms
    leaves_out: bool
    is_dry: bool
    as_json: bool


def publish(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of skills, or one skill.")],
    target: repository.Target,
    channel: repository.Channel = "stable",
    message: repository.Message = "",
    label: repository.Labels = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change, and write nothing.")] = False,
    leave_out_invalid: Annotated[
        bool, typer.Option("--leave-out-invalid", help="Publish the skills that are right, without the others.")
    ] = False,
    force_unconditional: Annotated[
        bool,
        typer.Option("--force-unconditional", help="Publish to a store that ignores If-Match; one publish at a time!"),
    ] = False,
    sign: Annotated[Path | None, typer.Option(metavar="FILE", help="Sign with this private key.")] = None,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    allow_binary: options.AllowBinary = None,
    as_json: repository.AsJson = False,
) -> None:
    """Publish a folder of skills as one release, and point a channel at it.

    Prints the id of the release; the same skills give the same id. When check finds an error in them
    nothing is uploaded. Interrupt it anywhere: the old release serves, and the next publish completes.
    """
    settings = repository.release_settings(target, config, endpoint_url, region, allow_binary=allow_binary)
    terms = Terms(
        channel=channel,
        at=repository.now_text(),
        message=message,
        labels=repository.all_labels(label, os.environ),
        sign=None if sign is None else _signer(sign),
        force_unconditional=force_unconditional,
    )
    asyncio.run(_publish(settings, _Wish(folder, terms, leave_out_invalid, dry_run, as_json)))


async def _publish(settings: Settings, wish: _Wish) -> None:
    source = SkillFolder(wish.folder)
    survey = await source.survey(settings)
    release = make_release(await _checked(survey, settings, wish), allow_binary=settings.allow_binary)
    async with repository.open_repository(settings) as releases:
        if wish.is_dry:
            _say_changes(release, await _changes(releases, wish.terms.channel, release), wish)
            return
        with repository.bar("uploading") as progress:
            task = progress.add_task("", total=None)

            def told(step: Step) -> None:
                progress.update(task, total=step.total, advance=1, description=step.kind)

            published = await publish_release(releases, Plan(release, source.read), wish.terms, told)
    _say_published(release, published, wish)


async def _checked(survey: Survey, settings: Settings, wish: _Wish) -> tuple[SkillEntry, ...]:
    """The skills to publish, once all that is wrong was said. Raises CommandFailed when nothing is to be uploaded."""
    folder = LintFolder.at(wish.folder)
    facts = await asyncio.to_thread(facts_of_folder, folder)
    findings = lint(facts, (*survey.remarks, *survey.refused), lint_policy(settings))
    errors = [finding for finding in findings if finding.severity == "error"]
    for finding in shown_from_here(errors, folder.base, is_absolute=wish.folder.is_absolute()):
        talk.print(finding_line(finding), soft_wrap=True)
    if warnings := len(findings) - len(errors):
        talk.print(f"{warnings} warnings; to read them: skills-gateway check {wish.folder}", markup=False)
    if errors and not wish.leaves_out:
        raise CommandFailed(
            f"{len(errors)} errors, so nothing was uploaded; mend them, or publish the rest: --leave-out-invalid"
        )
    wrong = [finding.path for finding in errors]
    entries = tuple(entry for entry in survey.entries if not any(_concerns(path, entry.path) for path in wrong))
    if not entries:
        raise CommandFailed(f"there is no skill to publish in {wish.folder}, so nothing was uploaded")
    return entries


def _concerns(path: str, skill: SkillPath) -> bool:
    """Whether a path lies in a skill, or above it."""
    return f"{path}/".startswith(f"{skill}/") or skill.startswith(f"{path}/")


async def _changes(releases: Repository, channel: str, release: Release) -> Changes:
    held = await releases.pointer(channel)
    if held is not None and held.pointer.current.index == release.digest:
        return Changes()
    current = held.pointer.current if held is not None else None
    old = await releases.index(current.release, current.index) if current else None
    return await changes_between(releases, old, release.shards)


def _say_changes(release: Release, changes: Changes, wish: _Wish) -> None:
    document = {"release": release.id, "channel": wish.terms.channel, "changes": asdict(changes)}
    lines = change_lines(changes)
    if wish.as_json or lines:
        result(json.dumps(document, indent=2) if wish.as_json else "\n".join(lines))
    talk.print(f"would publish release {release.id} to channel {wish.terms.channel!r}; nothing was written")


def _say_published(release: Release, published: Published, wish: _Wish) -> None:
    index, channel = release.index, wish.terms.channel
    document = {
        **repository.move_document(published.pointer.pointer.current),
        "channel": channel,
        "moved": not published.was_there,
        "skills": index.skills,
        "files": index.files,
        "bytes": index.size_bytes,
        "blobs": published.blobs,
        "shards": published.shards,
    }
    result(json.dumps(document, indent=2) if wish.as_json else published.release)
    if published.was_there:
        talk.print(f"channel {channel!r} points at this release already; nothing was written")
    else:
        talk.print(
            f"channel {channel!r} points at it now: {index.skills} skills, {index.files} files, "
            f"{index.size_bytes:,} bytes; uploaded {published.blobs} blobs and {published.shards} shards"
        )


def _signer(file: Path) -> Sign:
    # Here and not at the top: who signs nothing need not wait for the cryptography.
    from gateway.releases.signatures import load_signing_key
    from gateway.releases.signatures import sign as sign_index

    try:
        key = load_signing_key(file.read_bytes())
    except OSError as error:
        raise SettingsError(f"--sign {file} cannot be read ({error.strerror})") from None
    return partial(sign_index, key=key)
