"""Entries to shards: cut where the digest of a path says so, so that a change moves no other cut. Pure.

A cut falls before one path of 128 or so, and wherever a shard grows too large. Two releases that differ
in one skill then differ in one shard, or in two when a cut came or went.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from gateway.releases.documents import Index, ShardRow, dump_index, dump_shard
from gateway.releases.layout import release_id_of
from gateway.skill.model import Digest, SkillEntry, digest_of

_ONE_IN = 128
_MAX_SKILLS = 512
_MAX_FILES = 4096


@dataclass(frozen=True, slots=True)
class Shard:
    """The bytes of a shard, its digest, and the entries in it."""

    entries: tuple[SkillEntry, ...]
    data: bytes
    digest: Digest


@dataclass(frozen=True, slots=True)
class Release:
    """A release as it is to be stored: everything but the contents of the files."""

    index: Index
    data: bytes
    digest: Digest
    shards: tuple[Shard, ...]

    @property
    def id(self) -> str:
        return release_id_of(self.digest)


def make_release(entries: Iterable[SkillEntry], *, allow_binary: bool) -> Release:
    """The release of these skills, all static. The same skills give the same bytes, whatever their order."""
    shards = tuple(_shard(cut) for cut in _cut(sorted(entries, key=lambda entry: entry.path)))
    files = [file for shard in shards for entry in shard.entries for file in entry.files or ()]
    index = Index(
        tuple(ShardRow(shard.entries[0].path, len(shard.entries), shard.digest) for shard in shards),
        sum(len(shard.entries) for shard in shards),
        len(files),
        sum(file.size for file in files),
        allow_binary=allow_binary,
    )
    data = dump_index(index)
    return Release(index, data, digest_of(data), shards)


def _shard(entries: tuple[SkillEntry, ...]) -> Shard:
    data = dump_shard(entries)
    return Shard(entries, data, digest_of(data))


def _cut(entries: Iterable[SkillEntry]) -> Iterator[tuple[SkillEntry, ...]]:
    held: list[SkillEntry] = []
    files = 0
    for entry in entries:
        is_full = len(held) >= _MAX_SKILLS or files >= _MAX_FILES
        if held and (is_full or _is_cut(entry.path)):
            yield tuple(held)
            held, files = [], 0
        held.append(entry)
        files += len(entry.files or ())
    if held:
        yield tuple(held)


def _is_cut(path: str) -> bool:
    return int.from_bytes(sha256(path.encode("utf-8", "surrogatepass")).digest()[:4]) % _ONE_IN == 0
