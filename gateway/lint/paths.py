"""Findings in the paths of a tree: junk, hidden files, links, collisions, nesting, sizes.

Source: Unicode Standard Annex 15 (NFC), Unicode 3.13 (default caseless matching); SEP-2640, Limits.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator

from gateway.lint.facts import Facts, directory_of, owner_of
from gateway.lint.finding import Finding, by_rule
from gateway.skill.model import RECOMMENDED_MAX_BYTES, RECOMMENDED_MAX_FILES, SKILL_MD

_JUNK = re.compile(
    r"\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|__MACOSX|__pycache__|node_modules|\.(?:git|svn|hg|idea|vscode|venv|cache)"
    r"|\.(?:mypy|pytest|ruff)_cache|.*\.py[co]|.*~|\#.*\#|.*\.(?:sw[op]|bak|orig|rej|tmp)",
    re.IGNORECASE,
)


def path_findings(facts: Facts) -> Iterator[Finding]:
    """What to mend in the paths of a tree."""
    skills = facts.skills
    yield from _junk(facts, skills)
    yield from _links(facts)
    yield from _names((*facts.sizes, *(link.path for link in facts.links)))
    yield from _nesting(skills)
    yield from _sizes(facts, skills)
    yield from _misspelt(facts)


def junk_part(path: str) -> str:
    """The path up to its first segment that no skill needs; empty when there is none."""
    segments = path.split("/")
    depth = next((depth for depth, segment in enumerate(segments, 1) if _JUNK.fullmatch(segment)), 0)
    return "/".join(segments[:depth])


def _junk(facts: Facts, skills: tuple[str, ...]) -> Iterator[Finding]:
    roots = outermost(skills)
    inside = [path for path in (*facts.sizes, *facts.hidden) if owner_of(path, roots)]
    junk = {part for path in inside if (part := junk_part(path))}
    for part in junk:
        yield by_rule(part, "junk_file", "no skill needs this; remove it, or pass it over with --ignore")
    for path in inside:
        if path in facts.hidden and path not in junk:
            message = "a name that begins with a dot is hidden and not served; rename it, or pass it over with --ignore"
            yield by_rule(path, "hidden_file", message)


def _links(facts: Facts) -> Iterator[Finding]:
    for link in facts.links:
        if link.is_inside:
            message = "a symbolic link is not followed and not served; put the file itself here"
            yield by_rule(link.path, "symlink_inside", message)
        else:
            message = "a symbolic link that leads out of its skill is never followed; put the file itself here"
            yield by_rule(link.path, "symlink_outside", message)


def _names(paths: Iterable[str]) -> Iterator[Finding]:
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for place in sorted(_with_directories(paths)):
        folder, _, name = place.rpartition("/")
        normal = unicodedata.normalize("NFC", name)
        alike[folder, unicodedata.normalize("NFC", normal.casefold())].append(place)
        if normal != name:
            message = f"the name is not in Unicode form NFC, so some systems change it; rename it to {normal!r}"
            yield by_rule(place, "path_not_nfc", message)
    for first, *others in alike.values():
        for other in others:
            message = f"is the same as {first!r} where case or Unicode form does not count; rename one of them"
            yield by_rule(other, "path_collision", message)


def _nesting(skills: tuple[str, ...]) -> Iterator[Finding]:
    for skill in skills:
        if owner := owner_of(skill, skills):
            message = f"this skill lies in the skill {owner!r}, which publishes its files too; move it out if not meant"
            yield by_rule(f"{skill}/{SKILL_MD}", "nested_skill", message, 1, 1)


def _sizes(facts: Facts, skills: tuple[str, ...]) -> Iterator[Finding]:
    files: dict[str, int] = defaultdict(int)
    size_bytes: dict[str, int] = defaultdict(int)
    known = set(skills)
    for path, size in facts.sizes.items():
        for directory in _above(path):
            if directory in known:
                files[directory] += 1
                size_bytes[directory] += size
    for skill in skills:
        path = f"{skill}/{SKILL_MD}"
        if files[skill] > RECOMMENDED_MAX_FILES:
            message = f"the skill has {files[skill]} files, more than the {RECOMMENDED_MAX_FILES} recommended; split it"
            yield by_rule(path, "many_files", message, 1, 1)
        if size_bytes[skill] > RECOMMENDED_MAX_BYTES:
            expected = f"more than the {RECOMMENDED_MAX_BYTES} recommended; move large files out"
            yield by_rule(path, "many_bytes", f"the skill has {size_bytes[skill]} bytes, {expected}", 1, 1)


def _misspelt(facts: Facts) -> Iterator[Finding]:
    for path in facts.sizes:
        folder, _, name = path.rpartition("/")
        if name != SKILL_MD and name.upper() == SKILL_MD.upper() and f"{folder}/{SKILL_MD}" not in facts.sizes:
            message = f"{name!r} makes no skill, only {SKILL_MD!r} does; rename it"
            yield by_rule(path, "skill_md_case", message)


def outermost(skills: tuple[str, ...]) -> tuple[str, ...]:
    """Skills that lie in no other."""
    known = set(skills)
    return tuple(skill for skill in skills if not any(above in known for above in _above(skill)))


def _with_directories(paths: Iterable[str]) -> set[str]:
    places: set[str] = set()
    for path in paths:
        while path and path not in places:
            places.add(path)
            path = directory_of(path)
    return places


def _above(path: str) -> Iterator[str]:
    while path := directory_of(path):
        yield path
