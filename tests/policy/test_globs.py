"""Globs over skill paths."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.policy.globs import glob_fault, path_pattern
from gateway.policy.sight import Sight
from tests.policy.drawn import GLOBS, SEGMENTS, names

PATHS = st.lists(st.sampled_from((*SEGMENTS, "aab", "abab", "b-")), min_size=1, max_size=5).map("/".join)


@pytest.mark.parametrize(
    ("glob", "named", "not_named"),
    [
        ("acme", ["acme"], ["acme/billing", "acme2", "Acme", "org/acme"]),
        ("acme/**", ["acme", "acme/billing", "acme/billing/refunds"], ["acme2", "acme2/x", "org/acme"]),
        ("acme/*", ["acme/billing"], ["acme", "acme/billing/refunds"]),
        ("**/docs", ["docs", "a/docs", "a/b/docs"], ["a/docs/x", "a/mydocs"]),
        ("acme/**/docs", ["acme/docs", "acme/a/b/docs"], ["docs", "acme/docs/x"]),
        ("**/a/**/b/**", ["a/b", "x/a/y/b/z", "a/a/b/b"], ["a", "b", "b/a"]),
        ("team-?", ["team-1", "team-é"], ["team-", "team-12", "team-1/x"]),
        ("a*b*c", ["abc", "axxbxxc", "abcbc"], ["ab/c", "acb"]),
        ("a.c/(x)", ["a.c/(x)"], ["abc/x", "abc/(x)"]),
        ("**", ["a", "a/b/c/d"], []),
    ],
)
def test_a_glob_names_these_paths_and_not_those(glob: str, named: list[str], not_named: list[str]) -> None:
    """[ours] Also by the slow matcher that the property below believes in."""
    sight = Sight([glob])
    assert [path for path in (*named, *not_named) if sight.allows(path)] == named
    assert [path for path in (*named, *not_named) if names(glob, path)] == named


@settings(max_examples=800, deadline=None)
@given(st.lists(GLOBS, max_size=3), PATHS)
def test_any_globs_name_what_the_obvious_matcher_says(globs: list[str], path: str) -> None:
    """[ours]"""
    assert Sight(globs).allows(path) == any(names(glob, path) for glob in globs)


@pytest.mark.parametrize("glob", ["a*a*a*a*a*a*a*a*b", "**/a*a*a*a*b/**/a*a*b/**/x", "**/*/**/*/**/*/**/a/**/b"])
def test_no_path_takes_a_glob_long(glob: str) -> None:
    """[ours] Paths are the caller's own; the naive pattern takes minutes for these."""
    pattern = path_pattern([glob])
    began = time.process_time()
    for path in ("a" * 2000, "/".join(["a" * 100] * 16), "/".join("a" * 16)):
        assert pattern.fullmatch(path + "/") is None
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("glob", "fault"),
    [
        ("", "is empty; write '**' for every skill"),
        ("/", "has a slash at an end, and no skill path does; write '**' for every skill"),
        (
            "/acme",
            "has a slash at an end, and no skill path does; write 'acme', or 'acme/**' for what is below it too",
        ),
        (
            "acme/",
            "has a slash at an end, and no skill path does; write 'acme', or 'acme/**' for what is below it too",
        ),
        ("a//b", "has an empty segment; write a path like 'acme/billing/*'"),
        ("a/../b", "has a '..' segment; write a path like 'acme/billing/*'"),
        ("a/b**", "has '**' beside other characters in 'b**'; write '*' there, or '**' as a segment of its own"),
        ("***", "has '**' beside other characters in '***'; write '*' there, or '**' as a segment of its own"),
    ],
)
def test_a_glob_that_can_name_nothing_is_told_with_what_to_write(glob: str, fault: str) -> None:
    """[ours]"""
    assert glob_fault(glob) == fault
