"""Directories of static skills, computed from their manifests."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.protocol.manifest import children_of, directory_page
from gateway.provider import Child, Page
from tests.protocol.providers import static_entry

ENTRY = replace(
    static_entry("a", {"x.txt": b"1", "d/y.txt": b"22", "d/e/z.txt": b"", "dd/y.txt": b"", "SKILL.md/": b""}),
    directories=("empty", "d/none", "deep/er"),
)
ENTRY = replace(ENTRY, files=tuple(file for file in ENTRY.files or () if not file.path.endswith("/")))


@pytest.mark.parametrize(
    ("directory", "names"),
    [
        ("", {"SKILL.md", "x.txt", "d", "dd", "empty", "deep"}),
        ("d", {"y.txt", "e", "none"}),
        ("d/e", {"z.txt"}),
        ("d/none", set[str]()),
        ("empty", set[str]()),
        ("deep", {"er"}),
        ("deep/er", set[str]()),
    ],
)
def test_a_directory_has_its_direct_children(directory: str, names: set[str]) -> None:
    """[SEP-2640 directories]"""
    children = children_of(ENTRY, directory)
    assert children is not None
    assert set(children) == names
    assert all(child.name == name for name, child in children.items())


@pytest.mark.parametrize("directory", ["x.txt", "SKILL.md", "d/y.txt", "d/y", "D", "nope", "d/e/z.txt", "de", "emp"])
def test_what_is_no_directory_has_none(directory: str) -> None:
    """[SEP-2640 directories]"""
    assert children_of(ENTRY, directory) is None


def test_files_carry_size_and_type_and_directories_neither() -> None:
    """[SEP-2640 directories]"""
    assert children_of(ENTRY, "d") == {
        "y.txt": Child("y.txt", False, 2, "text/markdown"),
        "e": Child("e", True),
        "none": Child("none", True),
    }


@given(st.sets(st.text(min_size=1), max_size=30), st.integers(1, 7))
def test_any_page_size_gives_every_child_once_in_order(names: set[str], limit: int) -> None:
    """[ours]"""
    children = {name: Child(name, False, 1) for name in names}
    served: list[str] = []
    position: str | None = None
    for _ in range(len(names) + 1):
        page = directory_page(children, Page(limit, len(served), position))
        assert len(page.children) <= limit
        served += [child.name for child in page.children]
        if (position := page.position) is None:
            break
    assert served == sorted(names)


def test_a_child_that_goes_away_between_two_pages_loses_none_of_the_others() -> None:
    """[ours]"""
    children = {name: Child(name, True) for name in "abcd"}
    first = directory_page(children, Page(2))
    del children["b"]
    assert [child.name for child in directory_page(children, Page(2, 2, first.position)).children] == ["c", "d"]
