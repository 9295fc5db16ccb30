"""A finding, the rules that make one, and how severe each rule is.

What the gateway refuses to serve keeps the code of the refusal and is always an error: no flag makes
such a skill served. Every other rule is in `RULES` and may be turned up, down or off.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, get_args

from gateway.skill.model import printable

Severity = Literal["error", "warning", "off"]

RULES: Mapping[str, Severity] = {
    "ambiguous_scalar": "warning",  # YAML dialects read the value differently
    "bom": "warning",
    "broken_link": "warning",
    "crlf": "warning",
    "dynamic": "warning",  # served without digests
    "hidden_file": "warning",
    "junk_file": "warning",
    "last_block_scalar": "warning",  # some hosts drop its final newline
    "many_bytes": "warning",
    "many_files": "warning",
    "many_tokens": "warning",
    "nested_skill": "warning",
    "path_collision": "error",  # one path where case or Unicode form does not count
    "path_not_nfc": "warning",
    "skill_md_case": "warning",  # skill.md makes no skill
    "symlink_inside": "warning",
    "symlink_outside": "error",
    "yaml11_unreadable": "warning",
    "yaml_subset": "warning",  # the official TypeScript SDK reads a subset of YAML
}
"""Code and default severity of each rule that a severity may be set for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend. `path` is relative to what was checked; `line` and `column` from 1, 0 when unknown."""

    path: str
    line: int
    column: int
    code: str
    severity: Severity
    message: str

    @property
    def spot(self) -> str:
        """`file:line:column`, as editors and terminals follow it."""
        return printable(f"{self.path}:{self.line}:{self.column}" if self.line else self.path)


@dataclass(frozen=True, slots=True)
class Policy:
    """What the author asked for: severities by code, globs to pass over, warnings as errors."""

    severities: Mapping[str, Severity]
    ignored: tuple[str, ...] = ()
    is_strict: bool = False


def by_rule(path: str, code: str, message: str, line: int = 0, column: int = 0) -> Finding:
    """A finding with the severity its rule has by default."""
    return Finding(path, line, column, code, RULES[code], message)


def parse_severity(text: str) -> tuple[str, Severity]:
    """Code and severity of `CODE=SEVERITY`. Raises ValueError, with a sentence for the author."""
    code, _, asked = text.partition("=")
    level = next((level for level in get_args(Severity) if level == asked), None)
    if level is None:
        raise ValueError(f"{text!r} is no severity of a rule; needs CODE=error, CODE=warning or CODE=off")
    if code not in RULES:
        known = ", ".join(RULES)
        raise ValueError(f"{code!r} is no rule with a severity (what is refused stays an error); there are: {known}")
    return code, level


def judged(findings: Iterable[Finding], policy: Policy) -> tuple[Finding, ...]:
    """The findings that count under a policy, by file and place."""
    counted = {_with_severity(finding, policy) for finding in findings}
    kept = [finding for finding in counted if finding.severity != "off" and not _is_passed_over(finding, policy)]
    return tuple(sorted(kept, key=lambda one: (one.path, one.line, one.column, one.code, one.message)))


def is_ignored(path: str, globs: Iterable[str]) -> bool:
    """Whether a glob names the path, a directory above it, or one of its segments."""
    segments = path.split("/")
    names = {*segments, *("/".join(segments[:depth]) for depth in range(1, len(segments) + 1))}
    return any(fnmatchcase(name, glob.rstrip("/")) for glob in globs for name in names)


def _with_severity(finding: Finding, policy: Policy) -> Finding:
    if finding.code not in RULES:
        return finding
    severity = policy.severities.get(finding.code, finding.severity)
    return replace(finding, severity="error" if severity == "warning" and policy.is_strict else severity)


def _is_passed_over(finding: Finding, policy: Policy) -> bool:
    return finding.code in RULES and is_ignored(finding.path, policy.ignored)
