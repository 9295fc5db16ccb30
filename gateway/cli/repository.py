"""What the commands over releases share: their target and flags, opening it, and how a move is noted down."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from gateway.cli.terminal import talk
from gateway.errors import ReleaseMissing, SettingsError
from gateway.releases.documents import Move, Pointer
from gateway.releases.layout import MAX_CHANNEL_CHARACTERS, RELEASE_ID, is_channel
from gateway.releases.repository import HeldPointer, Repository
from gateway.settings import Settings, load_settings
from gateway.skill.model import Digest, printable

_S3 = "s3://"
_LABEL = re.compile(r"([A-Za-z0-9][A-Za-z0-9._/-]{0,62})=(.*)", re.DOTALL)


def channel_name(name: str) -> str:
    """A name that a channel may have. Raises SettingsError."""
    if RELEASE_ID.fullmatch(name):
        raise SettingsError(f"{name!r} reads as the id of a release; choose another name")
    if not is_channel(name):
        raise SettingsError(
            f"{name!r} is no name of a channel; needs lower-case letters and digits, with single '.', '_' or '-' "
            f"between them, at most {MAX_CHANNEL_CHARACTERS}"
        )
    return name


def _optional_channel(name: str | None) -> str | None:
    return name if name is None else channel_name(name)


Target = Annotated[str, typer.Argument(help="Where the releases lie.", metavar="s3://BUCKET/PREFIX")]
Reference = Annotated[
    str, typer.Argument(help="A release, a channel, or CHANNEL~N: N moves before its last.", metavar="REF")
]
Channel = Annotated[str, typer.Option(help="Channel that is moved.", callback=channel_name)]
OneChannel = Annotated[str | None, typer.Option(help="This channel alone.", callback=_optional_channel)]
Message = Annotated[str, typer.Option(help="Why, for those who read the channel's history.", metavar="TEXT")]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", help="KEY=VALUE, as often as you like; commit and run of a CI are taken by themselves."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def release_settings(
    target: str, config: Path | None, endpoint_url: str | None, region: str | None, **more: object
) -> Settings:
    """The settings of this process, for bucket and prefix of a target. Raises SettingsError."""
    bucket, _, prefix = target.removeprefix(_S3).partition("/")
    if not target.startswith(_S3) or not bucket or prefix.startswith("/"):
        raise SettingsError(f"{target} names no bucket and prefix; needs s3://bucket/prefix")
    return load_settings(config, bucket=bucket, prefix=prefix, endpoint_url=endpoint_url, region=region, **more)


@asynccontextmanager
async def open_repository(settings: Settings) -> AsyncGenerator[Repository]:
    """The releases under the settings' prefix."""
    # Here and not at the top: --help must not wait for the servers and clients.
    from gateway.s3 import open_store
    from gateway.wiring import s3_options

    async with open_store(s3_options(settings)) as store:
        yield Repository(store, settings.prefix)


def place_of(settings: Settings) -> str:
    return f"s3://{settings.bucket}/{settings.prefix}"


async def existing_pointer(repository: Repository, channel: str) -> HeldPointer:
    """Where a channel points. Raises ReleaseMissing when there is no such channel."""
    held = await repository.pointer(channel)
    if held is None:
        raise ReleaseMissing(f"there is no channel {channel!r} here; {await repository.channels_in_words()}")
    return held


def move_now(release: tuple[str, Digest], action: str, message: str, labels: Mapping[str, str]) -> Move:
    """A move to a release, made now."""
    return Move(*release, now_text(), action, message, labels)


def now_text() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def all_labels(
    given: Sequence[str] | None, environ: Mapping[str, str], had: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Labels as they were given, those a release had before, and those of a CI's environment, in falling order.

    Raises SettingsError.
    """
    labels = {**ci_labels(environ), **(had or {})}
    for text in given or ():
        found = _LABEL.fullmatch(text)
        if found is None:
            raise SettingsError(f"--label {text!r} is no KEY=VALUE; a key has letters, digits and '._/-'")
        labels[found[1]] = found[2]
    return labels


def ci_labels(environ: Mapping[str, str]) -> dict[str, str]:
    """`commit` and `run` (a URL) as GitHub Actions and GitLab CI tell them. Pure.

    Source: GitHub, "Variables reference"; GitLab, "Predefined CI/CD variables".
    """
    labels = {"commit": environ.get("GITHUB_SHA") or environ.get("CI_COMMIT_SHA", "")}
    github = [environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID")]
    labels["run"] = "{}/{}/actions/runs/{}".format(*github) if all(github) else environ.get("CI_JOB_URL", "")
    return {name: value for name, value in labels.items() if value}


def move_document(move: Move) -> dict[str, object]:
    """A move as the `--json` of several commands has it."""
    return {
        "release": move.release,
        "at": move.at,
        "action": move.action,
        "message": move.message,
        "labels": dict(move.labels),
    }


def moved_document(channel: str, before: Pointer | None, after: Pointer) -> dict[str, object]:
    """What a command that moves a channel, or finds it there already, prints with `--json`."""
    return {
        "channel": channel,
        "from": before.current.release if before else None,
        "moved": before != after,
        **move_document(after.current),
    }


def moved_text(channel: str, before: Pointer | None, after: Pointer) -> str:
    """The same for people."""
    if before == after:
        return f"channel {channel!r} points at this release already; nothing was moved"
    origin = before.current.release if before else "nowhere"
    return f"channel {channel!r} moved from {origin} to {after.current.release}"


def labels_text(labels: Mapping[str, str]) -> str:
    return printable(" ".join(f"{name}={value}" for name, value in sorted(labels.items())))


def bar(what: str) -> Progress:
    """A progress bar on a terminal, and nothing elsewhere."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    return Progress(*columns, console=talk, disable=not talk.is_terminal, transient=True)
