"""Findings for people and for scripts."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from gateway.doctor.finding import GROUPS, Finding, counts
from gateway.skill.model import printable

_COLOURS = {"ok": "green", "warning": "yellow", "error": "bold red"}


def print_for_people(findings: Sequence[Finding]) -> None:
    """A line for each finding under its group, and a line of what to do below it; colours on a terminal only."""
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    for group in GROUPS:
        told = [finding for finding in findings if finding.group == group]
        if told:
            console.print(Text(group, style="bold"))
        for finding in told:
            level = Text(f"{finding.level:<8}", style=_COLOURS[finding.level])
            console.print(Text.assemble("  ", level, f"{printable(finding.seen)} [{finding.code}]"))
            if finding.remedy:
                console.print(Text(f"          do: {finding.remedy}"))


def as_document(target: str, findings: Sequence[Finding]) -> str:
    """One JSON document; `target`, `counts` by level, and `findings` with the fields of a Finding."""
    document = {"target": target, "counts": counts(findings), "findings": [asdict(finding) for finding in findings]}
    return json.dumps(document, indent=2, ensure_ascii=False)


def summary(findings: Sequence[Finding]) -> str:
    told = counts(findings)
    return f"{told['ok']} ok, {told['warning']} warnings, {told['error']} errors"
