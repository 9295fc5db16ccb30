"""Groups to entries: which skills of a group are served, and why the others are not.

A skill is refused as a whole or served as a whole. A group of nested skills is static or dynamic as a
whole, because an enclosing manifest lists the same files. All lookups go through the prober, all at
once; everything else here is a function of values.

Source: SEP-2640, Nested Skills and Resources; DESIGN sections 5 to 7.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gateway.objects import ListedObject
from gateway.skill.model import MAX_SKILL_SEGMENTS, SKILL_MD, Problem, SkillEntry, SkillFile, SkillPath
from gateway.skill.rules import entry_fault, entry_warnings, frontmatter_problems
from gateway.tree.contents import empty_directories, servable_files, without_phantoms
from gateway.tree.group import Group
from gateway.tree.keys import Segments
from gateway.tree.options import TreeOptions
from gateway.tree.probe import FileFacts, HeadRefused, Prober, SkillHead
from gateway.tree.together import together


@dataclass(frozen=True, slots=True)
class BuiltGroup:
    """The outcome for one group: entries in the order of their paths, the objects behind them, the problems."""

    entries: Mapping[SkillPath, SkillEntry]
    objects: Mapping[Segments, ListedObject]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A directory with a readable, valid `SKILL.md`."""

    root: Segments
    head: SkillHead


async def build_group(group: Group, prober: Prober, options: TreeOptions) -> BuiltGroup:
    """Read what must be read of a group and decide. Raises ObjectChanged or ObjectMissing when it moved meanwhile."""
    path = skill_path(options, group.root)
    if group.is_too_large:
        detail = f"has more than {options.max_skill_keys} files, hidden ones counted; publish it as several skills"
        return BuiltGroup({}, {}, (Problem(path, "too_many_files", detail),))
    keys = await without_phantoms(group.keys, prober)
    files, problems = servable_files(keys)
    candidates = await _candidates(group, files, prober, options, problems)
    facts = await _file_facts(files, candidates, prober)
    if not options.allow_binary:
        candidates = _without_binaries(candidates, facts, options, problems)
    entries = _entries(candidates, facts, empty_directories(keys), options, problems)
    return BuiltGroup(entries, files, (*group.problems, *problems))


def skill_path(options: TreeOptions, root: Segments) -> SkillPath:
    return SkillPath("/".join((*options.mount, *root)))


async def _candidates(
    group: Group,
    files: Mapping[Segments, ListedObject],
    prober: Prober,
    options: TreeOptions,
    problems: list[Problem],
) -> list[_Candidate]:
    roots = [root for root in group.skill_directories if (*root, SKILL_MD) in files]
    heads = await together(prober.skill_head(files[*root, SKILL_MD]) for root in roots)
    candidates: list[_Candidate] = []
    for root, head in zip(roots, heads, strict=True):
        found = _head_problems(skill_path(options, root), head)
        problems.extend(found)
        if isinstance(head, SkillHead) and not found:
            candidates.append(_Candidate(root, head))
    return candidates


def _head_problems(path: SkillPath, head: SkillHead | HeadRefused) -> list[Problem]:
    if path.count("/") >= MAX_SKILL_SEGMENTS:
        return [Problem(path, "too_deep", f"lies deeper than {MAX_SKILL_SEGMENTS} segments; move it up")]
    if isinstance(head, HeadRefused):
        return [Problem(path, head.code, head.detail, head.line, head.column)]
    if head.facts.is_binary:
        return [Problem(path, "not_utf8", "SKILL.md has bytes that are no valid UTF-8; save it as UTF-8")]
    return frontmatter_problems(path, head.frontmatter)


def _is_under_any(segments: Segments, candidates: Iterable[_Candidate]) -> bool:
    return any(segments[: len(candidate.root)] == candidate.root for candidate in candidates)


async def _file_facts(
    files: Mapping[Segments, ListedObject], candidates: Sequence[_Candidate], prober: Prober
) -> dict[Segments, FileFacts]:
    """Facts of every file under a candidate; a `SKILL.md` that was read already is not looked at again."""
    facts = {(*candidate.root, SKILL_MD): candidate.head.facts for candidate in candidates}
    wanted = [segments for segments in files if segments not in facts and _is_under_any(segments, candidates)]
    found = await together(prober.file(files[segments], segments[-1]) for segments in wanted)
    return facts | dict(zip(wanted, found, strict=True))


def _without_binaries(
    candidates: Sequence[_Candidate],
    facts: Mapping[Segments, FileFacts],
    options: TreeOptions,
    problems: list[Problem],
) -> list[_Candidate]:
    kept: list[_Candidate] = []
    for candidate in candidates:
        inside = _under(candidate.root, facts)
        binary = sorted("/".join(segments[len(candidate.root) :]) for segments, fact in inside if fact.is_binary)
        if binary:
            more = f" and {len(binary) - 1} more" if len(binary) > 1 else ""
            detail = f"{binary[0]}{more} is binary, and this source allows text only; set GATEWAY_ALLOW_BINARY=true"
            problems.append(Problem(skill_path(options, candidate.root), "binary_file", detail))
        else:
            kept.append(candidate)
    return kept


def _entries(
    candidates: Sequence[_Candidate],
    facts: Mapping[Segments, FileFacts],
    empty: Sequence[Segments],
    options: TreeOptions,
    problems: list[Problem],
) -> dict[SkillPath, SkillEntry]:
    roots = [candidate.root for candidate in candidates]
    entries: dict[SkillPath, SkillEntry] = {}
    for candidate in candidates:
        owner = next(root for root in roots if candidate.root[: len(root)] == root)
        lacking = sorted("/".join(segments) for segments, fact in _under(owner, facts) if fact.digest is None)
        entry = _entry(candidate, None if lacking else facts, empty, options)
        if lacking:
            detail = f"served without digests: {lacking[0]} is larger than {options.max_hash_bytes} bytes and has none"
            problems.append(Problem(entry.path, "dynamic", detail))
        if fault := entry_fault(entry):
            problems.append(Problem(entry.path, "invalid_entry", fault))
        else:
            entries[entry.path] = entry
            problems.extend(entry_warnings(entry))
    return dict(sorted(entries.items()))


def _entry(
    candidate: _Candidate, facts: Mapping[Segments, FileFacts] | None, empty: Sequence[Segments], options: TreeOptions
) -> SkillEntry:
    depth = len(candidate.root)
    path = skill_path(options, candidate.root)
    directories = tuple("/".join(place[depth:]) for place in empty if _is_below(place, candidate.root))
    if facts is None:
        return SkillEntry(path, candidate.head.frontmatter, None, directories)
    files = tuple(
        SkillFile("/".join(segments[depth:]), fact.size, fact.digest, fact.media_type)
        for segments, fact in sorted(_under(candidate.root, facts))
        if fact.digest is not None
    )
    return SkillEntry(path, candidate.head.frontmatter, files, directories)


def _under(root: Segments, facts: Mapping[Segments, FileFacts]) -> list[tuple[Segments, FileFacts]]:
    return [(segments, fact) for segments, fact in facts.items() if segments[: len(root)] == root]


def _is_below(place: Segments, root: Segments) -> bool:
    return len(place) > len(root) and place[: len(root)] == root
