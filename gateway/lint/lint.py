"""The linter: facts of a tree and what the gateway said of it, to findings in order. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gateway.lint.facts import Facts
from gateway.lint.finding import Finding, Policy, judged
from gateway.lint.paths import path_findings
from gateway.lint.refusals import refusal_finding
from gateway.lint.text import text_findings
from gateway.skill.model import SKILL_MD, Problem

_JUDGED_HERE = frozenset({"symlink", "many_files", "many_bytes"})
"""Codes of the serving code for which there is a rule that says more."""


def lint(facts: Facts, problems: Sequence[Problem], policy: Policy) -> tuple[Finding, ...]:
    """Every finding that counts, by file and place. `problems` are remarks and refusals of the serving code."""
    return judged(_findings(facts, problems), policy)


def _findings(facts: Facts, problems: Sequence[Problem]) -> Iterator[Finding]:
    texts = facts.texts or {}
    for problem in problems:
        if problem.code not in _JUDGED_HERE:
            yield refusal_finding(problem, texts)
    yield from path_findings(facts)
    places = _places(facts)
    for path, data in texts.items():
        yield from text_findings(path, data, places[path.removesuffix(f"/{SKILL_MD}")])


def _places(facts: Facts) -> dict[str, set[str]]:
    """Files and directories of each skill, relative to it."""
    skills = set(facts.skills)
    places: dict[str, set[str]] = defaultdict(set)
    for path in facts.sizes:
        segments = path.split("/")
        for depth in range(1, len(segments)):
            skill = "/".join(segments[:depth])
            if skill in skills:
                below = segments[depth:]
                places[skill].update("/".join(below[:end]) for end in range(1, len(below) + 1))
    return places
