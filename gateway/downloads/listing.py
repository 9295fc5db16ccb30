"""The discovery index: all skills of a caller in one document, each with a URL and the digest of what is there.

A skill that is `SKILL.md` alone is listed as that file, others as an archive without a folder around it. The draft
knows a skill by its name only: of two with one name an installer would take the one for the other, so that neither is
listed. What is left out, and why, stands in `omitted`, a field of ours that clients pass over.
Source: Agent Skills Discovery via Well-Known URIs, draft 0.2.0 of 2026-03-12, Discovery Index.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import orjson

from gateway.downloads.package import Package, package_of
from gateway.errors import RequestError
from gateway.skill.model import SKILL_MD, Digest, SkillEntry, SkillPath
from gateway.skill.uri import SCHEME, print_uri

ROOT = "/.well-known/agent-skills/"
"""Behind the prefix of a place."""
SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
_SAME_NAME = "Another skill has the same name, by which this index could not tell them apart"


@dataclass(frozen=True, slots=True)
class Row:
    """A skill that is listed; `package` is None for one that is a single file."""

    entry: SkillEntry
    package: Package | None

    def url(self, prefix: str) -> str:
        segments = tuple(self.entry.path.split("/"))
        place = print_uri(segments if self.package else (*segments, SKILL_MD)).removeprefix(SCHEME)
        return prefix + ROOT + place + (".zip" if self.package else "")


@dataclass(frozen=True, slots=True)
class Omitted:
    """A skill that is not listed, and why."""

    path: SkillPath
    reason: str


def shared_names(entries: Iterable[SkillEntry]) -> frozenset[str]:
    """The names that more than one skill has. Pure."""
    return frozenset(name for name, times in Counter(entry.name for entry in entries).items() if times > 1)


def row_of(entry: SkillEntry, shared: frozenset[str], max_file_bytes: int) -> Row | Omitted:
    """How a skill is listed, if it is. Pure."""
    if entry.name in shared:
        return Omitted(entry.path, _SAME_NAME)
    try:
        package = package_of(entry, "", max_file_bytes)
    except RequestError as error:
        return Omitted(entry.path, str(error))
    return Row(entry, package if len(package.files) > 1 else None)


def document_of(rows: Sequence[tuple[Row, Digest]], omitted: Sequence[Omitted], prefix: str = "") -> bytes:
    """The index as JSON. Pure."""
    listed = [
        {
            "name": row.entry.name,
            "type": "archive" if row.package else "skill-md",
            "description": row.entry.description,
            "url": row.url(prefix),
            "digest": digest,
        }
        for row, digest in rows
    ]
    others = {"omitted": [{"path": one.path, "reason": one.reason} for one in omitted]} if omitted else {}
    return orjson.dumps({"$schema": SCHEMA, "skills": listed} | others)
