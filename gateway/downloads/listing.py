"""The discovery index: all skills of a caller in one document, each with a URL and the digest of what is there.

A skill that is `SKILL.md` alone is listed as that file, others as an archive without a folder around it. The draft
knows a skill by its name only: of two with one name an installer would take the one for the other, so that neither is
listed, unless they are the same in every byte. What is left out, and why, stands in `omitted`, a field of ours that
clients pass over.
Source: Agent Skills Discovery via Well-Known URIs, draft 0.2.0 of 2026-03-12, Discovery Index.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from gateway.skill.model import SKILL_MD, Digest, SkillPath
from gateway.skill.uri import SCHEME, print_uri

ROOT = "/.well-known/agent-skills/"
"""Behind the prefix of a place."""
SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
_SAME_SKILL = "The same skill is listed with another path"
_SAME_NAME = "Another skill has the same name, by which this index could not tell them apart"


@dataclass(frozen=True, slots=True)
class Row:
    """A skill that is listed: as an archive, or as the one file it has. `digest` is of what the URL gives."""

    path: SkillPath
    name: str
    description: str
    digest: Digest
    is_archive: bool

    def as_json(self, prefix: str) -> dict[str, str]:
        segments = tuple(self.path.split("/"))
        place = print_uri(segments if self.is_archive else (*segments, SKILL_MD)).removeprefix(SCHEME)
        return {
            "name": self.name,
            "type": "archive" if self.is_archive else "skill-md",
            "description": self.description,
            "url": prefix + ROOT + place + (".zip" if self.is_archive else ""),
            "digest": self.digest,
        }


@dataclass(frozen=True, slots=True)
class Omitted:
    """A skill that is not listed, and why."""

    path: SkillPath
    reason: str


def document_of(rows: Sequence[Row | Omitted], prefix: str = "") -> tuple[bytes, int]:
    """The index as JSON, and how many skills it lists; `prefix` is that of the place it is for. Pure."""
    digests: dict[str, set[Digest]] = {}
    for row in rows:
        if isinstance(row, Row):
            digests.setdefault(row.name, set()).add(row.digest)
    listed: dict[str, dict[str, str]] = {}
    omitted: list[dict[str, str]] = []
    for row in rows:
        if isinstance(row, Omitted):
            omitted.append({"path": row.path, "reason": row.reason})
        elif len(digests[row.name]) > 1:
            omitted.append({"path": row.path, "reason": _SAME_NAME})
        elif row.name in listed:
            omitted.append({"path": row.path, "reason": _SAME_SKILL})
        else:
            listed[row.name] = row.as_json(prefix)
    document = {"$schema": SCHEMA, "skills": [*listed.values()]}
    return orjson.dumps(document | {"omitted": omitted} if omitted else document), len(listed)
