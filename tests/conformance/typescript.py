"""What the official TypeScript client sees of a server, and what it must see of a folder of skills."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.npm import run_node

_HOST = Path(__file__).with_name("typescript_host.mjs")
_WITHIN_S = 240


@dataclass(frozen=True, slots=True)
class Seen:
    """A visit to every skill: `verified` of the `files` read had the size and digest of the entry.

    A file of a skill inside a skill counts for both. `directories` are those that were read, roots included.
    """

    revision: str
    skills: int
    files: int
    verified: int
    bytes: int
    directories: int
    problems: tuple[str, ...] = ()


def seen_by_typescript(packages: Path, url: str, revision: str) -> Seen:
    """Let the client list, get, read and walk everything; AssertionError when it ended without a report."""
    done = run_node((_HOST, packages, url, revision), within_s=_WITHIN_S)
    assert done.returncode == 0, done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return Seen(**report | {"problems": tuple(report["problems"])})


def to_be_seen(folder: Path, *, refused: frozenset[str] = frozenset()) -> Seen:
    """What a folder holds for hosts: its skills but for the paths in `refused`, nothing hidden; no revision."""
    roots = [file.parent for file in folder.rglob("SKILL.md")]
    served = [root for root in roots if root.relative_to(folder).as_posix() not in refused]
    files = [file for root in served for file in _shown(root) if file.is_file()]
    directories = [place for root in served for place in (root, *_shown(root)) if place.is_dir()]
    size = sum(file.stat().st_size for file in files)
    return Seen("", len(served), len(files), len(files), size, len(directories))


def _shown(root: Path) -> Iterator[Path]:
    for child in root.rglob("*"):
        if not any(part.startswith(".") for part in child.relative_to(root).parts):
            yield child
