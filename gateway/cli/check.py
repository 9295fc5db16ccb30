"""`skills-gateway check`: what a gateway would serve of a folder or a bucket prefix, and why not the rest.

It asks the very code that serves, so its verdict is the gateway's. Rooms that pull in the servers and
clients are imported when they are needed: `--help` and `keygen` must not wait for them.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli import options
from gateway.cli.terminal import EXIT_FAILED, CommandFailed, result, talk
from gateway.settings import Settings, load_settings
from gateway.skill.model import Problem, SkillEntry, printable

if TYPE_CHECKING:
    from gateway.objects import ObjectStore

_S3 = "s3://"
_EVERY = 50


@dataclass(frozen=True, slots=True)
class ServedSkill:
    """One skill that is served; `files` and `size` in bytes are None when it is dynamic."""

    path: str
    files: int | None
    size: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found: skills that are served, remarks on them, and what is left out and why."""

    served: tuple[ServedSkill, ...]
    remarks: tuple[Problem, ...]
    refused: tuple[Problem, ...]


def check(
    target: Annotated[str, typer.Argument(help="A folder, or s3://bucket/prefix.", metavar="DIR|s3://BUCKET/PREFIX")],
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    allow_binary: options.AllowBinary = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List each skill of a folder or a bucket prefix as served or refused, and why.

    The settings of the gateway hold here too: limits, binary files, how the store is reached. Exit code
    1 when something is refused.
    """
    bucket, prefix = _parse(target)
    settings = load_settings(
        config, bucket=bucket, prefix=prefix, endpoint_url=endpoint_url, region=region, allow_binary=allow_binary
    )
    verdict = asyncio.run(_survey(target, settings))
    if not (verdict.served or verdict.refused):
        raise CommandFailed(f"there is no SKILL.md below {target}; correct the folder or the prefix")
    result(as_document(target, verdict) if as_json else "\n".join(as_lines(verdict)))
    talk.print(f"{len(verdict.served)} served, {len(verdict.refused)} refused")
    if verdict.refused:
        raise typer.Exit(EXIT_FAILED)


def as_lines(verdict: Verdict) -> list[str]:
    """A line for each skill and problem, for people."""
    lines = [f"served   {printable(skill.path)}  ({_size(skill)})" for skill in verdict.served]
    lines += [f"remark   {problem}" for problem in verdict.remarks]
    return lines + [f"refused  {problem}" for problem in verdict.refused]


def as_document(target: str, verdict: Verdict) -> str:
    """One JSON document: `target`, `served`, `remarks`, `refused`; keys are only ever added."""
    return json.dumps({"target": target, **asdict(verdict)}, indent=2)


def judge(entries: list[SkillEntry], problems: list[Problem]) -> Verdict:
    """A problem of a skill that is served all the same is a remark on it."""
    served = tuple(_served(entry) for entry in entries)
    paths = {skill.path for skill in served}
    remarks = tuple(problem for problem in problems if problem.where in paths)
    return Verdict(served, remarks, tuple(problem for problem in problems if problem.where not in paths))


def _parse(target: str) -> tuple[str, str]:
    """Bucket and prefix of a target. A folder is checked like a bucket of that content."""
    if target.startswith(_S3):
        bucket, _, prefix = target.removeprefix(_S3).partition("/")
        if not bucket or prefix.startswith("/"):
            raise CommandFailed(f"{target} names no bucket and prefix; needs s3://bucket/prefix")
        return bucket, prefix
    if not Path(target).is_dir():
        raise CommandFailed(f"{target} is no folder; name one, or s3://bucket/prefix")
    return "folder", ""


async def _survey(target: str, settings: Settings) -> Verdict:
    from gateway.asgi import tree_options
    from gateway.tree.provider import TreeProvider

    # Its log lines say what the verdict says.
    logging.getLogger("gateway.tree").setLevel(logging.ERROR)
    entries: list[SkillEntry] = []
    problems: list[Problem] = []
    async with _open(target, settings) as (store, skipped):
        provider = TreeProvider(store, tree_options(settings), on_problem=problems.append)
        with talk.status("checking ...") as status:
            async for entry in provider.survey():
                entries.append(entry)
                if len(entries) % _EVERY == 0:
                    status.update(f"checking ... {len(entries)} skills served so far")
        return judge(entries, [*problems, *skipped()])


@asynccontextmanager
async def _open(target: str, settings: Settings) -> AsyncGenerator["tuple[ObjectStore, Callable[[], list[Problem]]]"]:
    if target.startswith(_S3):
        from gateway.asgi import s3_options
        from gateway.s3 import open_store

        async with open_store(s3_options(settings)) as store:
            yield store, list[Problem]
    else:
        from gateway.local.folder import FolderStore

        folder = FolderStore(Path(target))
        yield folder, lambda: folder.skipped


def _served(entry: SkillEntry) -> ServedSkill:
    if entry.files is None:
        return ServedSkill(entry.path, None, None)
    return ServedSkill(entry.path, len(entry.files), sum(file.size for file in entry.files))


def _size(skill: ServedSkill) -> str:
    return "dynamic" if skill.files is None else f"{skill.files} files, {skill.size:,} bytes"
