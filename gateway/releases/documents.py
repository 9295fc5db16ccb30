"""The JSON documents of a release: a shard of entries, the index of all shards, the pointer of a channel. Pure.

Each has one spelling for one value, so that a digest names it. What is read is looked at field by field:
whatever is not exactly what a publish writes is refused with the name of the field.

Format 1.  shard:   {"format":1,"skills":[{"path","frontmatter","files":[[path,size,digest,type]…],"directories"}…]}
           index:   {"format":1,"allowBinary":bool,"skills":n,"files":n,"bytes":n,"shards":[[first,skills,digest]…]}
           pointer: {"format":1,"moves":[{"release","index","at","action","message","labels"}…]}, newest first
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from gateway.errors import ManifestRefused
from gateway.releases.fields import Fields, shown
from gateway.releases.layout import release_id_of
from gateway.skill.model import Digest, SkillEntry, SkillFile, SkillPath, digest_of
from gateway.skill.rules import entry_fault, is_digest

FORMAT = 1
MAX_MOVES = 200
"""So many moves a channel remembers; older ones are forgotten when it moves again."""


@dataclass(frozen=True, slots=True)
class ShardRow:
    """One shard in an index: the path of its first skill, how many skills it has, and its digest."""

    first: SkillPath
    skills: int
    digest: Digest


@dataclass(frozen=True, slots=True)
class Index:
    """What a release consists of. Rows in the order of their first paths, all skills in the order of paths."""

    shards: tuple[ShardRow, ...]
    skills: int
    files: int
    size_bytes: int
    allow_binary: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """One time that a channel was pointed somewhere: `at` in UTC, as ISO 8601 with seconds and `Z`.

    `action` is `publish`, `rollback` or `promote`.
    """

    release: str
    index: Digest
    at: str
    action: str
    message: str = ""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a channel points, and where it pointed before; the newest move first, and at least one."""

    moves: tuple[Move, ...]

    @property
    def current(self) -> Move:
        return self.moves[0]

    def moved(self, move: Move) -> "Pointer":
        return Pointer((move, *self.moves)[:MAX_MOVES])


def dump_shard(entries: Sequence[SkillEntry]) -> bytes:
    """The bytes of a shard. Entries must be static, and in the order of their paths."""
    return _dump({"format": FORMAT, "skills": [_skill(entry) for entry in entries]})


def load_shard(data: bytes, digest: Digest) -> tuple[SkillEntry, ...]:
    """The entries of a shard. Raises ManifestRefused, also when the bytes are not the digest's."""
    fields = Fields(_load(data, digest, "shard"), "shard")
    entries = tuple(_entry(Fields(item, "skill of a shard")) for item in fields.array("skills"))
    for entry in entries:
        if fault := entry_fault(entry):
            raise ManifestRefused(f"a shard holds an entry that cannot be served: {fault}")
    return entries


def dump_index(index: Index) -> bytes:
    rows = [[row.first, row.skills, row.digest] for row in index.shards]
    counts = {"skills": index.skills, "files": index.files, "bytes": index.size_bytes}
    return _dump({"format": FORMAT, "allowBinary": index.allow_binary, **counts, "shards": rows})


def load_index(data: bytes, digest: Digest) -> Index:
    """An index. Raises ManifestRefused, also when the bytes are not the digest's."""
    fields = Fields(_load(data, digest, "index"), "index")
    rows = tuple(_row(item) for item in fields.array("shards"))
    firsts = [row.first for row in rows]
    if firsts != sorted(set(firsts)):
        raise ManifestRefused("the index has its shards out of order")
    counts = (fields.size("skills"), fields.size("files"), fields.size("bytes"))
    return Index(rows, *counts, allow_binary=fields.flag("allowBinary"))


def dump_pointer(pointer: Pointer) -> bytes:
    return _dump({"format": FORMAT, "moves": [_move_json(move) for move in pointer.moves]}) + b"\n"


def load_pointer(data: bytes, channel: str) -> Pointer:
    """Where a channel points. Raises ManifestRefused that names the channel."""
    what = f"pointer of channel {channel!r}"
    fields = Fields(_parse(data, what), what)
    moves = tuple(_move(Fields(item, what)) for item in fields.array("moves"))
    if not moves:
        raise ManifestRefused(f"the {what} points nowhere: it has no moves")
    return Pointer(moves)


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _load(data: bytes, digest: Digest, what: str) -> object:
    if (seen := digest_of(data)) != digest:
        raise ManifestRefused(f"the {what} has the digest {seen}, needs {digest}")
    return _parse(data, what)


def _parse(data: bytes, what: str) -> object:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ManifestRefused(f"the {what} is no JSON: {error}") from None
    written = cast("dict[str, Any]", value).get("format") if isinstance(value, dict) else None
    if written != FORMAT:
        raise ManifestRefused(f"the {what} has the format {shown(written)}, needs {FORMAT}; is it of a newer version?")
    return cast("object", value)


def _skill(entry: SkillEntry) -> dict[str, object]:
    assert entry.files is not None, "only static skills are published"
    files = [[file.path, file.size, file.digest, file.media_type] for file in entry.files]
    return {
        "path": entry.path,
        "frontmatter": dict(entry.frontmatter),
        "files": files,
        "directories": list(entry.directories),
    }


def _entry(fields: Fields) -> SkillEntry:
    files = tuple(_file(item) for item in fields.array("files"))
    return SkillEntry(SkillPath(fields.text("path")), fields.table("frontmatter"), files, fields.texts("directories"))


def _file(item: object) -> SkillFile:
    match item:
        case [str(path), int(size), str(digest), str(media_type)]:
            return SkillFile(path, size, Digest(digest), media_type)
        case _:
            raise ManifestRefused(f"a shard has the file {shown(item)}, needs [path, size, digest, media type]")


def _row(item: object) -> ShardRow:
    match item:
        case [str(first), int(skills), str(digest)] if is_digest(digest):
            return ShardRow(SkillPath(first), skills, Digest(digest))
        case _:
            raise ManifestRefused(f"the index has the row {shown(item)}, needs [first path, skills, digest]")


def _move_json(move: Move) -> dict[str, object]:
    return {
        "release": move.release,
        "index": move.index,
        "at": move.at,
        "action": move.action,
        "message": move.message,
        "labels": dict(move.labels),
    }


def _move(fields: Fields) -> Move:
    labels = fields.table("labels")
    release, index = fields.text("release"), fields.digest("index")
    if release_id_of(index) != release or not all(isinstance(value, str) for value in labels.values()):
        raise ManifestRefused(
            f"a move to {shown(release)} does not fit its index {index}, or has labels that are no text"
        )
    return Move(release, index, fields.text("at"), fields.text("action"), fields.text("message"), labels)
