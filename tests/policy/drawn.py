"""Rules as they may be drawn, and what they name, told slowly and by the letter."""

from hypothesis import strategies as st

from gateway.policy.globs import glob_fault
from gateway.policy.rule import Facts, Rule

SEGMENTS = ("a", "b", "Org")
"""Of the paths in drawn trees; the last one can be no skill."""

SEGMENT_GLOBS = st.one_of(st.sampled_from((*SEGMENTS, "**", "*")), st.text("ab*?-", min_size=1, max_size=5))
GLOBS = st.lists(SEGMENT_GLOBS, min_size=1, max_size=4).map("/".join).filter(lambda glob: glob_fault(glob) is None)
RULES = st.builds(
    Rule,
    paths=st.lists(GLOBS, min_size=1, max_size=2).map(tuple),
    variants=st.sampled_from(((), (), ("default",), ("beta",), ("default", "beta"))),
    scopes=st.sampled_from(((), (), ("read",), ("read", "admin"))),
    groups=st.sampled_from(((), (), ("team",))),
)
FACTS = st.builds(
    Facts,
    scopes=st.frozensets(st.sampled_from(("read", "admin"))),
    groups=st.frozensets(st.sampled_from(("team", "other"))),
)


def names(glob: str, path: str) -> bool:
    """Whether a glob names a path: tries every way to put one on the other."""
    return _fits(glob.split("/"), path.split("/"))


def shows(rule: Rule, facts: Facts, variant: str, path: str) -> bool:
    """Whether a drawn rule shows a path to a caller."""
    is_met = not rule.scopes or any(scope in facts.scopes for scope in rule.scopes)
    is_met = is_met and (not rule.groups or any(group in facts.groups for group in rule.groups))
    is_met = is_met and (not rule.variants or (variant or "default") in rule.variants)
    return is_met and any(names(glob, path) for glob in rule.paths)


def _fits(globs: list[str], segments: list[str]) -> bool:
    if not globs:
        return not segments
    if globs[0] == "**":
        return any(_fits(globs[1:], segments[skipped:]) for skipped in range(len(segments) + 1))
    return bool(segments) and _is_like(globs[0], segments[0]) and _fits(globs[1:], segments[1:])


def _is_like(glob: str, segment: str) -> bool:
    if not glob:
        return not segment
    if glob[0] == "*":
        return any(_is_like(glob[1:], segment[skipped:]) for skipped in range(len(segment) + 1))
    return bool(segment) and glob[0] in ("?", segment[0]) and _is_like(glob[1:], segment[1:])
