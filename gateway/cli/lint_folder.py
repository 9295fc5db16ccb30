"""A folder looked over for the linter: its paths, its links, the bytes of each `SKILL.md`.

Nothing is followed out of the folder: links are looked at, never opened, and hidden directories are
named but not entered.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gateway.lint.facts import Facts, Link, facts_of, owner_of
from gateway.skill.model import SKILL_MD

MAX_TEXT_BYTES = 4 * 1024 * 1024
"""A larger `SKILL.md` is not looked into."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class LintFolder:
    """What a linter is pointed at: `base` is what paths are relative to, `only` the one skill in it, or empty."""

    base: Path
    only: str

    @classmethod
    def at(cls, folder: Path) -> "LintFolder":
        """A folder of skills; or, when it has a `SKILL.md` itself, that one skill."""
        root = folder.resolve()
        return cls(root.parent, root.name) if (root / SKILL_MD).is_file() else cls(root, "")


def facts_of_folder(folder: LintFolder) -> Facts:
    """Look over a folder. Blocks."""
    sizes: dict[str, int] = {}
    links: list[str] = []
    for path, status in _entries(folder):
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            sizes[path] = status.st_size
        elif stat.S_ISLNK(status.st_mode):
            links.append(path)
    skills = facts_of(sizes).skills
    texts = {path: data for path in sizes if _is_text(path, sizes) and (data := _read(folder.base / path)) is not None}
    return facts_of(sizes, (Link(path, _is_inside(folder, path, skills)) for path in links), texts)


def _entries(folder: LintFolder) -> Iterator[tuple[str, os.stat_result]]:
    """Everything but directories, and of those the hidden ones."""
    pending = [f"{folder.only}/" if folder.only else ""]
    while pending:
        above = pending.pop()
        try:
            found = sorted(os.scandir(folder.base / above), key=lambda entry: entry.name)
        except OSError:
            continue  # the serving code says so
        for entry in found:
            if not entry.name.isascii() and any("\ud800" <= one <= "\udfff" for one in entry.name):
                continue
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode) and not entry.name.startswith("."):
                pending.append(f"{above}{entry.name}/")
            else:
                yield above + entry.name, status


def _is_text(path: str, sizes: dict[str, int]) -> bool:
    return path.endswith(f"/{SKILL_MD}") and sizes[path] <= MAX_TEXT_BYTES


def _read(file: Path) -> bytes | None:
    try:
        with os.fdopen(os.open(file, _FILE), "rb") as opened:
            return opened.read(MAX_TEXT_BYTES + 1)
    except OSError:
        return None  # the serving code says so


def _is_inside(folder: LintFolder, path: str, skills: tuple[str, ...]) -> bool:
    home = owner_of(path, skills) or folder.only
    root = os.path.realpath(folder.base / home) if home else str(folder.base)
    target = os.path.realpath(folder.base / path)  # a loop resolves to itself, which is inside
    return target == root or target.startswith(root + os.sep)
