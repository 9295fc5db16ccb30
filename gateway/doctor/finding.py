"""A finding: what was seen of one thing, how bad that is, and what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "error"]
Group = Literal["settings", "endpoint", "access", "store", "contents"]

GROUPS: tuple[Group, ...] = ("settings", "endpoint", "access", "store", "contents")
"""In the order in which they are told."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is a stable word; `remedy` says what to do, empty where there is nothing to do."""

    group: Group
    code: str
    level: Level
    seen: str
    remedy: str = ""


def has_error(findings: Iterable[Finding]) -> bool:
    return any(finding.level == "error" for finding in findings)


def counts(findings: Iterable[Finding]) -> dict[Level, int]:
    """How many there are of each level."""
    told: dict[Level, int] = {"ok": 0, "warning": 0, "error": 0}
    for finding in findings:
        told[finding.level] += 1
    return told
