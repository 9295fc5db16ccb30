"""Groups to entries: everything that must be asked of the store before a group can be decided on.

All lookups go through the probes, many at once. What is served, and why the rest is not, is decided
by `gateway.skill.assembly`, as for every source.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gateway.objects import ListedObject
from gateway.skill.assembly import Candidate, FileFacts, SourceRules, assemble, head_problems
from gateway.skill.model import SKILL_MD, Problem, SkillEntry, SkillPath
from gateway.tree.contents import empty_directories, servable_files, without_phantoms
from gateway.tree.group import Group
from gateway.tree.heads import SkillHead, SkillHeads
from gateway.tree.keys import Segments
from gateway.tree.options import TreeOptions
from gateway.tree.probe import Prober
from gateway.tree.together import together


@dataclass(frozen=True, slots=True)
class BuiltGroup:
    """The outcome for one group: entries in the order of their paths, the objects behind them, the problems.

    `is_skill` when the root itself has a `SKILL.md`, or when there are too many keys to know.
    """

    root: Segments
    is_skill: bool
    entries: Mapping[SkillPath, SkillEntry]
    objects: Mapping[Segments, ListedObject]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A directory with a readable, valid `SKILL.md`."""

    root: Segments
    head: SkillHead


async def build_group(group: Group, heads: SkillHeads, prober: Prober, options: TreeOptions) -> BuiltGroup:
    """Read what must be read of a group and decide. Raises ObjectChanged or ObjectMissing when it moved meanwhile."""
    path = skill_path(options, group.root)
    if group.is_too_large:
        detail = f"has more than {options.max_skill_keys} files, hidden ones counted; publish it as several skills"
        return BuiltGroup(group.root, True, {}, {}, (Problem(path, "too_many_files", detail),))
    keys = await without_phantoms(group.keys, prober)
    files, problems = servable_files(keys)
    candidates = await _candidates(group, files, heads, options, problems)
    facts = await _file_facts(files, candidates, prober)
    rules = SourceRules(options.mount, options.allow_binary)
    valid = [Candidate(candidate.root, candidate.head.frontmatter) for candidate in candidates]
    assembly = assemble(valid, facts, empty_directories(keys), rules)
    is_skill = group.root in group.skill_directories
    return BuiltGroup(group.root, is_skill, assembly.entries, files, (*group.problems, *problems, *assembly.problems))


def skill_path(options: TreeOptions, root: Segments) -> SkillPath:
    return SourceRules(options.mount).path_of(root)


async def _candidates(
    group: Group,
    files: Mapping[Segments, ListedObject],
    heads: SkillHeads,
    options: TreeOptions,
    problems: list[Problem],
) -> list[_Candidate]:
    roots = [root for root in group.skill_directories if (*root, SKILL_MD) in files]
    found_heads = await together(heads.read(files[*root, SKILL_MD]) for root in roots)
    candidates: list[_Candidate] = []
    for root, head in zip(roots, found_heads, strict=True):
        said, is_binary = (head.frontmatter, head.facts.is_binary) if isinstance(head, SkillHead) else (head, False)
        found = head_problems(skill_path(options, root), said, is_binary=is_binary)
        problems.extend(found)
        if isinstance(head, SkillHead) and not found:
            candidates.append(_Candidate(root, head))
    return candidates


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
