"""Scanning: every skill below a tree of files, with sizes and digests and no contents.

Each file is read once, hashed while it is in hand, and let go. What an earlier scan learned is used
again for files whose version did not change, and the entry itself where nothing below it did.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gateway.catalog.files import FoundFile, SkillFiles, WholeTree
from gateway.skill.assembly import (
    Candidate,
    FileFacts,
    HeadRefused,
    Segments,
    SourceRules,
    assemble,
    head_of,
    head_problems,
)
from gateway.skill.media import is_binary, looks_like_utf8, media_type_of
from gateway.skill.model import SKILL_MD, Frontmatter, Problem, SkillEntry, SkillPath, digest_of
from gateway.skill.uri import segment_fault, skill_uri

_CONCURRENT_DIRECTORIES = 16
_CONCURRENT_READS = 8


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What reading a file told: its facts under the version it had, and for a `SKILL.md` what its head says."""

    version: str
    facts: FileFacts
    head: Frontmatter | HeadRefused | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """One state of the tree. `read` remembers files by path, `groups` outcomes by outermost skill."""

    entries: Mapping[SkillPath, SkillEntry] = field(default_factory=dict[SkillPath, SkillEntry])
    problems: tuple[Problem, ...] = ()
    read: Mapping[Segments, ReadFile] = field(default_factory=dict[Segments, ReadFile])
    groups: Mapping[Segments, "_Outcome"] = field(default_factory=dict[Segments, "_Outcome"])


@dataclass(frozen=True, slots=True)
class _Outcome:
    files: Mapping[Segments, FoundFile]
    entries: Mapping[SkillPath, SkillEntry]
    problems: tuple[Problem, ...]


async def scan(files: SkillFiles, rules: SourceRules, before: Scan) -> Scan:
    """The tree as it is now. Raises what the source raises: a scan is whole or there is none."""
    tree = await _walk(files)
    roots = sorted(segments[:-1] for segments in tree if segments[-1] == SKILL_MD and len(segments) > 1)
    outermost = _outermost(roots)
    groups = _by_group(tree, outermost)
    outcomes: dict[Segments, _Outcome] = {}
    read: dict[Segments, ReadFile] = {}
    for root in outermost:
        known = before.groups.get(root)
        if known is not None and known.files == groups[root] and _has_versions(groups[root]):
            outcomes[root] = known
            read |= {segments: before.read[segments] for segments in groups[root] if segments in before.read}
            continue
        fresh = await _read_all(files, groups[root], before.read)
        outcomes[root] = _decide(groups[root], fresh, rules)
        read |= fresh
    entries = {path: entry for outcome in outcomes.values() for path, entry in outcome.entries.items()}
    problems = tuple(problem for outcome in outcomes.values() for problem in outcome.problems)
    return Scan(dict(sorted(entries.items(), key=_uri_of)), problems, read, outcomes)


async def _walk(files: SkillFiles) -> dict[Segments, FoundFile]:
    """Every file and every empty directory of the tree by its segments; hidden names left out."""
    found: dict[Segments, FoundFile] = {}
    limit = asyncio.Semaphore(_CONCURRENT_DIRECTORIES)
    tree = await files.list_tree() if isinstance(files, WholeTree) else None

    async def names_in(directory: Segments) -> Sequence[FoundFile]:
        path = "/".join(directory)
        if tree is not None:
            return tree.get(path, ())
        async with limit:
            return await files.list_directory(path)

    async def enter(directory: Segments) -> None:
        names = await names_in(directory)
        seen = [name for name in names if not name.name.startswith(".")]
        if not seen and directory:
            found[directory] = FoundFile(directory[-1], is_directory=True)
        inner: list[Segments] = []
        for name in seen:
            place = (*directory, name.name)
            if name.is_directory and not name.fault and not segment_fault(name.name):
                inner.append(place)
            else:
                found[place] = name
        await asyncio.gather(*(enter(place) for place in inner))

    await enter(())
    return found


def _outermost(roots: Iterable[Segments]) -> list[Segments]:
    kept: list[Segments] = []
    for root in roots:
        if not kept or root[: len(kept[-1])] != kept[-1]:
            kept.append(root)
    return kept


def _by_group(
    tree: Mapping[Segments, FoundFile], outermost: Sequence[Segments]
) -> dict[Segments, dict[Segments, FoundFile]]:
    groups: dict[Segments, dict[Segments, FoundFile]] = {root: {} for root in outermost}
    for segments, found in tree.items():
        for depth in range(1, len(segments)):
            if (group := groups.get(segments[:depth])) is not None:
                group[segments] = found
                break
    return groups


def _has_versions(group: Mapping[Segments, FoundFile]) -> bool:
    return all(found.version or found.is_directory for found in group.values())


async def _read_all(
    files: SkillFiles, group: Mapping[Segments, FoundFile], before: Mapping[Segments, ReadFile]
) -> dict[Segments, ReadFile]:
    limit = asyncio.Semaphore(_CONCURRENT_READS)

    async def one(segments: Segments, found: FoundFile) -> ReadFile:
        known = before.get(segments)
        if known is not None and found.version and known.version == found.version:
            return known
        async with limit:
            data = await files.read("/".join(segments))
        return _learn(segments, found, data)

    wanted = {place: found for place, found in group.items() if not found.is_directory and not _fault(place, found)}
    answers = await asyncio.gather(*(one(place, found) for place, found in wanted.items()))
    return dict(zip(wanted, answers, strict=True))


def _learn(segments: Segments, found: FoundFile, data: bytes) -> ReadFile:
    is_text = looks_like_utf8(data, None)
    media_type = media_type_of(segments[-1], None, is_text)
    facts = FileFacts(len(data), digest_of(data), media_type, is_binary(media_type, is_text))
    head = head_of(data, is_whole=True) if segments[-1] == SKILL_MD else None
    return ReadFile(found.version, facts, head)


def _decide(group: Mapping[Segments, FoundFile], read: Mapping[Segments, ReadFile], rules: SourceRules) -> _Outcome:
    problems: list[Problem] = []
    candidates: list[Candidate] = []
    faults = {place: fault for place, found in group.items() if (fault := _fault(place, found))}
    for segments, file in sorted(read.items()):
        if file.head is None:
            continue
        root = segments[:-1]
        found = head_problems(rules.path_of(root), file.head, is_binary=file.facts.is_binary)
        found = found or _tree_problems(root, faults, rules)
        problems.extend(found)
        if not found and not isinstance(file.head, HeadRefused):
            candidates.append(Candidate(root, file.head))
    facts = {segments: file.facts for segments, file in read.items()}
    empty = sorted(place for place, found in group.items() if found.is_directory and not found.fault)
    assembly = assemble(candidates, facts, empty, rules)
    return _Outcome(group, assembly.entries, (*problems, *assembly.problems))


def _fault(place: Segments, found: FoundFile) -> str:
    return found.fault or segment_fault(place[-1]) or ""


def _tree_problems(root: Segments, faults: Mapping[Segments, str], rules: SourceRules) -> list[Problem]:
    """A file that cannot be published makes the skill around it incomplete: it is refused."""
    for place, fault in sorted(faults.items()):
        if place[: len(root)] == root:
            return [Problem(rules.path_of(root), "unservable_file", f"{'/'.join(place[len(root) :])!r} {fault}")]
    return []


def _uri_of(item: tuple[SkillPath, SkillEntry]) -> str:
    return skill_uri(item[0], SKILL_MD)
