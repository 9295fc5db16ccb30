"""Files to entries: which candidate skills of one group are published, and why the others are not. Pure.

A group is an outermost skill with all that lies below it. A skill is refused as a whole or published
as a whole. Nested skills are static or dynamic as one, because an enclosing manifest lists the same
files. Used by every source that finds skills in files: a bucket prefix, a folder, memory.

Source: SEP-2640, Nested Skills and Resources.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gateway.skill.frontmatter import FrontmatterRefused, read_frontmatter
from gateway.skill.frontmatter_rules import frontmatter_problems
from gateway.skill.media import is_textual
from gateway.skill.model import (
    MAX_SKILL_SEGMENTS,
    RECOMMENDED_MAX_BYTES,
    RECOMMENDED_MAX_FILES,
    Digest,
    Frontmatter,
    Problem,
    SkillEntry,
    SkillFile,
    SkillPath,
)
from gateway.skill.rules import entry_fault, entry_warnings

Segments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of one file: `size` in bytes; `digest` is None when it cannot be had within the bounds."""

    size: int
    digest: Digest | None
    media_type: str
    is_binary: bool


@dataclass(frozen=True, slots=True)
class HeadRefused:
    """Why a `SKILL.md` has no frontmatter to go by. A value, since a kept exception keeps its whole call stack."""

    code: str
    detail: str
    line: int
    column: int


def head_of(head: bytes, *, is_whole: bool) -> Frontmatter | HeadRefused | None:
    """What the first bytes of a `SKILL.md` say; None when more of them are needed."""
    try:
        return read_frontmatter(head, is_whole=is_whole)
    except FrontmatterRefused as refused:
        return HeadRefused(refused.code, refused.detail, refused.line, refused.column)


def head_problems(path: SkillPath, head: Frontmatter | HeadRefused, *, is_binary: bool) -> list[Problem]:
    """Why the `SKILL.md` of the skill at `path` makes no candidate; empty when it does."""
    if path.count("/") >= MAX_SKILL_SEGMENTS:
        return [Problem(path, "too_deep", f"lies deeper than {MAX_SKILL_SEGMENTS} segments; move it up")]
    if isinstance(head, HeadRefused):
        return [Problem(path, head.code, head.detail, head.line, head.column)]
    if is_binary:
        return [Problem(path, "not_utf8", "SKILL.md has bytes that are no valid UTF-8; save it as UTF-8")]
    return frontmatter_problems(path, head)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A directory whose `SKILL.md` was read and is valid by itself."""

    root: Segments
    frontmatter: Frontmatter


@dataclass(frozen=True, slots=True)
class Limits:
    """Beyond these a skill is served with a warning: hosts need not load it. Source: SEP-2640, Limits."""

    files: int = RECOMMENDED_MAX_FILES
    size_bytes: int = RECOMMENDED_MAX_BYTES


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class SourceRules:
    """What the source says of all its skills: `mount` goes in front of every path."""

    mount: Segments = ()
    allow_binary: bool = False
    limits: Limits = DEFAULT_LIMITS

    def path_of(self, root: Segments) -> SkillPath:
        return SkillPath("/".join((*self.mount, *root)))


@dataclass(frozen=True, slots=True)
class Assembly:
    """Entries by path, in the order of their paths, and everything to say about the group."""

    entries: Mapping[SkillPath, SkillEntry]
    problems: tuple[Problem, ...]


def assemble(
    candidates: Sequence[Candidate],
    files: Mapping[Segments, FileFacts],
    empty_directories: Sequence[Segments],
    rules: SourceRules,
) -> Assembly:
    """Entries of one group.

    `files` holds every file below any candidate, its `SKILL.md` included; `empty_directories` those
    that no file leads to.
    """
    problems: list[Problem] = []
    kept = [candidate for candidate in candidates if _may_be_served(candidate, files, rules, problems)]
    roots = sorted(candidate.root for candidate in kept)
    entries: dict[SkillPath, SkillEntry] = {}
    for candidate in kept:
        path = rules.path_of(candidate.root)
        owner = next(root for root in roots if candidate.root[: len(root)] == root)
        lacking = sorted(segments for segments, fact in below(owner, files) if fact.digest is None)
        if lacking:
            detail = (
                f"is served without digests: {_shown(lacking[0], owner)} has {files[lacking[0]].size} bytes, too many "
                "to hash here (GATEWAY_MAX_HASH_BYTES), and no SHA-256 stored with it"
            )
            problems.append(Problem(path, "dynamic", detail))
        entry = _entry(candidate, path, None if lacking else files, empty_directories)
        if fault := entry_fault(entry):
            problems.append(Problem(path, "invalid_entry", fault))
        else:
            entries[path] = entry
            problems.extend(entry_warnings(entry, rules.limits.files, rules.limits.size_bytes))
    return Assembly(dict(sorted(entries.items())), tuple(problems))


def below(root: Segments, files: Mapping[Segments, FileFacts]) -> list[tuple[Segments, FileFacts]]:
    """Files under a directory."""
    depth = len(root)
    return [(segments, fact) for segments, fact in files.items() if segments[:depth] == root]


def _may_be_served(
    candidate: Candidate, files: Mapping[Segments, FileFacts], rules: SourceRules, problems: list[Problem]
) -> bool:
    if rules.allow_binary:
        return True
    binary = sorted(segments for segments, fact in below(candidate.root, files) if fact.is_binary)
    if binary:
        more = f" and {len(binary) - 1} more" if len(binary) > 1 else ""
        detail = (
            f"{_shown(binary[0], candidate.root)}{more} {_why_binary(files[binary[0]])}, and this source allows text "
            "only; allow binary files (GATEWAY_ALLOW_BINARY=true) or take it out"
        )
        problems.append(Problem(rules.path_of(candidate.root), "binary_file", detail))
    return not binary


def _entry(
    candidate: Candidate, path: SkillPath, files: Mapping[Segments, FileFacts] | None, empty: Sequence[Segments]
) -> SkillEntry:
    depth = len(candidate.root)
    directories = tuple(
        "/".join(place[depth:]) for place in empty if len(place) > depth and place[:depth] == candidate.root
    )
    if files is None:
        return SkillEntry(path, candidate.frontmatter, None, directories)
    manifest = tuple(
        SkillFile("/".join(segments[depth:]), fact.size, fact.digest, fact.media_type)
        for segments, fact in sorted(below(candidate.root, files))
        if fact.digest is not None
    )
    return SkillEntry(path, candidate.frontmatter, manifest, directories)


def _why_binary(file: FileFacts) -> str:
    if is_textual(file.media_type):
        return "is binary: its bytes are no UTF-8 (save it as UTF-8 when it is text)"
    return f"is binary ({file.media_type})"


def _shown(segments: Segments, root: Segments) -> str:
    return "/".join(segments[len(root) :])
