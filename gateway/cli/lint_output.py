"""What the linter found, for people, for scripts, and as annotations of GitHub.

Source: GitHub Actions, Workflow commands (`::error file=…::`, and how their values are escaped).
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gateway.cli.lint_fix import Change
from gateway.cli.lint_survey import ServedSkill, Verdict
from gateway.lint.facts import Facts, directory_of
from gateway.lint.finding import Finding
from gateway.lint.text import token_estimate
from gateway.skill.model import printable

_COLOURS = {"error": "bold red", "warning": "yellow", "off": ""}


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found of one target. Paths of findings are relative to it."""

    target: str
    verdict: Verdict
    facts: Facts
    findings: tuple[Finding, ...]
    changes: tuple[Change, ...] = ()

    @property
    def counts(self) -> str:
        errors = sum(finding.severity == "error" for finding in self.findings)
        served = f"{len(self.verdict.served)} served, {len(self.verdict.refused)} refused"
        return f"{served}; {errors} errors, {len(self.findings) - errors} warnings"


def shown_from_here(findings: Sequence[Finding], base: Path, *, is_absolute: bool) -> tuple[Finding, ...]:
    """Findings with paths that open from the working directory; absolute when the target was and lies elsewhere."""
    return tuple(replace(finding, path=_shown(base / finding.path, is_absolute)) for finding in findings)


def print_for_people(report: Report, findings: Sequence[Finding]) -> None:
    """A line for each skill that is served and for each finding; colours on a terminal only."""
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    for skill in report.verdict.served:
        console.print(Text(f"served   {printable(skill.path)}  ({_size(skill)})"))
    for finding in findings:
        console.print(finding_line(finding))


def finding_line(finding: Finding) -> Text:
    """`file:line:column: severity: message [rule]`."""
    kind = Text(finding.severity, style=_COLOURS[finding.severity])
    return Text.assemble(f"{finding.spot}: ", kind, f": {printable(finding.message)} [{finding.code}]")


def as_document(report: Report) -> str:
    """One JSON document: `target`, `served`, `remarks`, `refused`, and since then more; keys are only ever added.

    `token_estimates` has about how many tokens each `SKILL.md` costs.
    """
    tokens = [
        {"path": directory_of(path), "tokens": token_estimate(data)}
        for path, data in sorted((report.facts.texts or {}).items())
    ]
    document = {
        "target": report.target,
        **asdict(report.verdict),
        "findings": [asdict(finding) for finding in report.findings],
        "token_estimates": tokens,
        "fixed": [asdict(change) for change in report.changes],
    }
    return json.dumps(document, indent=2)


def as_annotations(findings: Sequence[Finding]) -> str:
    """A workflow command for each finding."""
    return "\n".join(map(_annotation, findings))


def _shown(file: Path, is_absolute: bool) -> str:
    from_here = os.path.relpath(file)
    return str(file) if is_absolute and from_here.startswith("..") else from_here


def _annotation(finding: Finding) -> str:
    properties = {"file": finding.path}
    if finding.line:
        properties |= {"line": str(finding.line), "col": str(finding.column)}
    properties["title"] = finding.code
    said = ",".join(f"{name}={_escaped_property(value)}" for name, value in properties.items())
    return f"::{finding.severity} {said}::{_escaped(finding.message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _size(skill: ServedSkill) -> str:
    return "dynamic" if skill.files is None else f"{skill.files} files, {skill.size:,} bytes"
