"""`skills-gateway check`: what a gateway would serve of a folder or a bucket prefix, and what to mend.

It asks the very code that serves, so its verdict is the gateway's; the linter adds what an author should
know of skills that are served, and mends what is safe.
"""

import asyncio
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer

from gateway.cli import options
from gateway.cli.lint_fix import Change, fix_names, fix_texts
from gateway.cli.lint_folder import LintFolder
from gateway.cli.lint_output import Report, as_annotations, as_document, print_for_people, shown_from_here
from gateway.cli.lint_policy import lint_policy
from gateway.cli.lint_survey import survey_bucket, survey_folder
from gateway.cli.terminal import EXIT_FAILED, CommandFailed, UsageRefused, result, talk
from gateway.lint.finding import Finding, Policy
from gateway.lint.lint import lint
from gateway.settings import Settings, load_settings
from gateway.skill.model import Problem, printable

_S3 = "s3://"
_OF_KEYS = frozenset({"unservable_key", "skill_at_root", "file_and_directory"})
"""Problems that are named by the key, not by the skill."""


def check(
    target: Annotated[str, typer.Argument(help="A folder, or s3://bucket/prefix.", metavar="DIR|s3://BUCKET/PREFIX")],
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    allow_binary: options.AllowBinary = None,
    form: Annotated[
        Literal["human", "json", "github"], typer.Option("--format", help="github: annotations of a workflow run.")
    ] = "human",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document; --format json.")] = False,
    severity: Annotated[
        list[str] | None, typer.Option(help="Severity of a rule: off, warning or error.", metavar="CODE=SEVERITY")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are errors.")] = False,
    ignore: Annotated[
        list[str] | None, typer.Option(help="Files and folders to pass over, such as 'drafts/*'.", metavar="GLOB")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is safe in each SKILL.md first.")] = False,
    names: Annotated[bool, typer.Option("--fix-names", help="Rename folders to the names in SKILL.md first.")] = False,
) -> None:
    """List each skill of a folder or a bucket prefix as served or refused, and what to mend in it.

    The settings of the gateway hold here too: limits, binary files, how the store is reached. What is
    refused is an error whatever --severity and --ignore say. Exit code 1 when there is an error.
    """
    bucket, prefix = _parse(target)
    settings = load_settings(
        config, bucket=bucket, prefix=prefix, endpoint_url=endpoint_url, region=region, allow_binary=allow_binary
    )
    policy = lint_policy(settings, severity or (), ignore or (), is_strict=strict)
    if target.startswith(_S3):
        if fix or names:
            raise UsageRefused("--fix and --fix-names write files; name a folder, not a bucket")
        verdict, facts = asyncio.run(survey_bucket(settings))
        problems = [_below_prefix(problem, settings) for problem in (*verdict.remarks, *verdict.refused)]
        findings = shown = lint(facts, problems, policy)
        changes: list[Change] = []
    else:
        folder = LintFolder.at(Path(target))
        changes = _mend(folder, policy, texts=fix, names=names)
        verdict, facts = asyncio.run(survey_folder(folder, settings))
        findings = lint(facts, (*verdict.remarks, *verdict.refused), policy)
        shown = shown_from_here(findings, folder.base, is_absolute=Path(target).is_absolute())
    if not (verdict.served or verdict.refused):
        raise CommandFailed(f"there is no SKILL.md below {target}; correct the folder or the prefix")
    report = Report(target, verdict, facts, findings, tuple(changes))
    _print(report, shown, "json" if as_json else form)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(EXIT_FAILED)


def _print(report: Report, shown: tuple[Finding, ...], form: str) -> None:
    if form == "json":
        result(as_document(report))
    elif form == "human":
        print_for_people(report, shown)
    elif shown:
        result(as_annotations(shown))
    talk.print(report.counts)


def _parse(target: str) -> tuple[str, str]:
    """Bucket and prefix of a target. A folder is checked like a bucket of that content."""
    if target.startswith(_S3):
        bucket, _, prefix = target.removeprefix(_S3).partition("/")
        if not bucket or prefix.startswith("/"):
            raise UsageRefused(f"{target} names no bucket and prefix; needs s3://bucket/prefix")
        return bucket, prefix
    if not Path(target).is_dir():
        raise UsageRefused(f"{target} is no folder; name one, or s3://bucket/prefix")
    return "folder", ""


def _mend(folder: LintFolder, policy: Policy, *, texts: bool, names: bool) -> list[Change]:
    changes: list[Change] = []
    mending = (fix_texts(folder, policy.ignored) if texts else (), fix_names(folder, policy.ignored) if names else ())
    for change in chain.from_iterable(mending):
        talk.print(f"fixed    {printable(change.path)}: {printable(change.change)}", markup=False)
        changes.append(change)
    return changes


def _below_prefix(problem: Problem, settings: Settings) -> Problem:
    """The problem with its path as it is below the prefix: without mount, or a key without the prefix."""
    above = settings.prefix if problem.code in _OF_KEYS else f"{settings.mount}/" if settings.mount else ""
    return replace(problem, where=problem.where.removeprefix(above))
