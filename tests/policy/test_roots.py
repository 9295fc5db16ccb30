"""Roots of globs: where all lies that they name, and no more places than may be asked for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.policy.roots import MAX_ROOTS, roots_of
from gateway.provider import lies_within
from tests.policy.drawn import GLOBS, SEGMENTS, names

PATHS = st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("globs", "roots"),
    [
        (["acme/**"], ("acme",)),
        (["acme/billing/*", "acme/billing", "zoo"], ("acme/billing", "zoo")),
        (["acme/b?lling/x", "acme/b*/y"], ("acme",)),
        (["a-b/**", "a/b/**", "a/**", "a"], ("a", "a-b")),
        (["acme/**", "**/public"], ()),
        (["*"], ()),
        (["**"], ()),
        ([], ()),
        ([f"org/team-{number:02}/**" for number in range(MAX_ROOTS + 1)], ("org",)),
        ([f"team-{number:02}/**" for number in range(MAX_ROOTS + 1)], ()),
        (
            [f"org/team-{number:02}/a" for number in range(MAX_ROOTS - 1)] + ["zoo/x/y/1", "zoo/x/y/2"],
            (*(f"org/team-{number:02}/a" for number in range(MAX_ROOTS - 1)), "zoo/x/y"),
        ),
    ],
)
def test_globs_have_these_roots(globs: list[str], roots: tuple[str, ...]) -> None:
    """[ours] The segments before the first wildcard; too many give way to those they lie in."""
    assert roots_of(globs) == roots


@settings(max_examples=500, deadline=None)
@given(st.lists(GLOBS, min_size=1, max_size=40), PATHS)
def test_nothing_that_a_glob_names_lies_elsewhere(globs: list[str], path: str) -> None:
    """[ours]"""
    roots = roots_of(globs)
    assert len(roots) <= MAX_ROOTS
    assert not any(lies_within(one, other) for one in roots for other in roots if one != other)
    if roots and any(names(glob, path) for glob in globs):
        assert any(lies_within(path, root) for root in roots)
