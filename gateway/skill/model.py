"""Values: a file, an entry, a problem.

Frozen, and valid by the rules of `rules.py` once a provider hands them on. Knows neither the wire
nor the store. Source: SEP-2640, Skill Entries; agentskills.io specification.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NewType, TypeAlias

SkillPath = NewType("SkillPath", str)
"""Where a skill lies: decoded segments joined by `/`, no scheme, the last one its name."""

Digest = NewType("Digest", str)
"""`sha256:` and 64 lower-case hexadecimal digits."""

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
Frontmatter: TypeAlias = Mapping[str, Json]

SKILL_MD = "SKILL.md"
DIRECTORY_MEDIA_TYPE = "inode/directory"
MAX_SKILL_SEGMENTS = 16
"""Depth of a skill path: finding the owner of a URI costs one question a segment, so it has a bound."""

RECOMMENDED_MAX_FILES = 512
RECOMMENDED_MAX_BYTES = 16 * 1024 * 1024


def digest_of(data: bytes) -> Digest:
    """Digest of raw bytes, in the form SEP-2640 publishes."""
    return Digest("sha256:" + sha256(data).hexdigest())


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file of a static skill. `path` is relative to the skill, decoded; `size` in bytes."""

    path: str
    size: int
    digest: Digest
    media_type: str


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """One published skill.

    `files` is the complete manifest, `SKILL.md` in it, nested skills' files included, each once, or
    None when the skill is dynamic. `directories` are explicit empty directories, relative to the
    skill; what leads to a file is implied and not listed.
    """

    path: SkillPath
    frontmatter: Frontmatter
    files: tuple[SkillFile, ...] | None
    directories: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        return str(self.frontmatter["name"])

    @property
    def description(self) -> str:
        return str(self.frontmatter["description"])

    def file(self, path: str) -> SkillFile | None:
        """The file of the manifest at a path inside the skill; None for a dynamic skill."""
        return next((file for file in self.files or () if file.path == path), None)

    @property
    def is_dynamic(self) -> bool:
        return self.files is None


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something is not served, or is served with a warning.

    `where` is a skill path or an object key, `code` a stable word, `detail` a sentence that names the
    value seen and what was expected. `line` and `column` count from 1 in `SKILL.md`, 0 when unknown.
    """

    where: str
    code: str
    detail: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        spot = f"/{SKILL_MD}:{self.line}:{self.column}" if self.line else ""
        return printable(f"{self.where}{spot}: {self.detail} [{self.code}]")


def printable(text: str) -> str:
    """`text` on one line of a log or a terminal: what cannot be printed is escaped, a key's newline too."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
