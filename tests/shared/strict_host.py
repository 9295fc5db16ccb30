"""The strict host of the shared data: every rule of SEP-2640 on the wire, and hundreds of calls to refuse."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.shared_data import shared

_WITHIN_S = 240
_VIOLATIONS = ("MUST", "HARD")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What it read, and each broken rule: a MUST of the text, or a HARD one that is stricter than the text."""

    skills: int
    files: int
    violations: tuple[str, ...] = ()


def strict_verdicts(url: str, report: Path) -> dict[str, Verdict]:
    """The verdict on the server at `url` by era; AssertionError when the host ended without a report."""
    argv = [sys.executable, str(shared("harness/strict_host.py")), url, "--require-legacy", "--json", str(report)]
    done = subprocess.run(argv, capture_output=True, encoding="utf-8", timeout=_WITHIN_S, stdin=subprocess.DEVNULL)
    assert report.exists(), f"no report, exit {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return {era: _verdict(judged) for era, judged in json.loads(report.read_bytes()).items()}


def _verdict(judged: dict[str, Any]) -> Verdict:
    broken = [
        f"{found['level']} {found['rule']}: {found['where']}: {found['detail']}"
        for found in judged["found"]
        if found["level"] in _VIOLATIONS
    ]
    return Verdict(judged["stats"].get("skills listed", 0), judged["stats"].get("files read", 0), tuple(broken))
