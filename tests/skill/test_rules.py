"""What makes a frontmatter and an entry fit to be served."""

import time
from dataclasses import replace
from typing import Any

import pytest

from gateway.skill.frontmatter_rules import is_skill_name
from gateway.skill.model import Digest, Json, Problem, SkillEntry, SkillFile, SkillPath, digest_of
from gateway.skill.rules import entry_fault, entry_warnings, frontmatter_problems
from gateway.skill.uri import MAX_URI_BYTES, print_uri

PATH = SkillPath("acme/refunds")
FIT: dict[str, Json] = {"name": "refunds", "description": "Handles refunds"}
DIGEST = digest_of(b"x")


def _file(path: str, size: Any = 1, digest: str = DIGEST) -> SkillFile:
    return SkillFile(path, size, Digest(digest), "text/plain")


ENTRY = SkillEntry(PATH, FIT, (_file("SKILL.md"), _file("refs/a b.md"), _file("refs/é.md")), ("empty", "refs"))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"description": "d" * 1024},
        {"description": "😀" * 1024},
        {"license": "MIT", "compatibility": "c" * 500, "allowed-tools": "Read", "metadata": {"a": "b"}},
        {"allowed-tools": ["Read", "Bash(git:*)"], "metadata": {}, "license": ""},
        {"x": {"anything": [1, None, 2.5]}, "version": 3},
    ],
)
def test_a_fit_frontmatter_has_no_problem(fields: dict[str, Json]) -> None:
    """[agentskills.io]"""
    assert frontmatter_problems(PATH, FIT | fields) == []


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("name", None, "name_missing"),
        ("name", 5, "name_not_text"),
        ("name", True, "name_not_text"),
        ("name", "", "name_invalid"),
        ("name", "Refunds", "name_invalid"),
        ("name", "a--b", "name_invalid"),
        ("name", "-a", "name_invalid"),
        ("name", "a-", "name_invalid"),
        ("name", "a\n", "name_invalid"),
        ("name", "é", "name_invalid"),
        ("name", "٣", "name_invalid"),
        ("name", "a" * 65, "name_invalid"),
        ("name", "other", "name_mismatch"),
        ("description", None, "description_missing"),
        ("description", ["a"], "description_not_text"),
        ("description", " \n", "description_blank"),
        ("description", "", "description_blank"),
        ("description", "d" * 1025, "description_too_long"),
        ("license", None, "license_not_text"),
        ("license", {"a": "b"}, "license_not_text"),
        ("compatibility", 3, "compatibility_not_text"),
        ("compatibility", "", "compatibility_length"),
        ("compatibility", "c" * 501, "compatibility_length"),
        ("allowed-tools", None, "allowed_tools_invalid"),
        ("allowed-tools", ["Read", 1], "allowed_tools_invalid"),
        ("allowed-tools", {"Read": "x"}, "allowed_tools_invalid"),
        ("metadata", None, "metadata_not_mapping"),
        ("metadata", ["a"], "metadata_not_mapping"),
        ("metadata", {"version": 1.0}, "metadata_not_text"),
        ("metadata", {"a": {"b": "c"}}, "metadata_not_text"),
    ],
)
def test_a_field_that_breaks_a_rule_is_named(field: str, value: Json, code: str) -> None:
    """[agentskills.io]"""
    problems = frontmatter_problems(PATH, FIT | {field: value})
    assert [(problem.where, problem.code) for problem in problems] == [(PATH, code)]
    assert f"'{field}'" in problems[0].detail


def test_every_problem_is_named_not_only_the_first() -> None:
    """[ours]"""
    problems = frontmatter_problems(PATH, {"license": 1, "metadata": 2})
    assert [problem.code for problem in problems] == [
        "name_missing",
        "description_missing",
        "license_not_text",
        "metadata_not_mapping",
    ]


def test_a_problem_says_the_value_seen_what_was_expected_and_what_to_do() -> None:
    """[ours]"""
    assert frontmatter_problems(PATH, FIT | {"name": "x" * 200})[0].detail == (
        f"'name' is '{'x' * 77}...', needs 1 to 64 of a-z and 0-9, single hyphens between them; rename the skill"
    )
    assert frontmatter_problems(PATH, FIT | {"metadata": {"version": 1.5}}) == [
        Problem(PATH, "metadata_not_text", "'metadata' has the number 1.5 under 'version', needs text; quote it")
    ]


def test_a_name_of_64_characters_is_fit() -> None:
    """[agentskills.io]"""
    name = "a" * 64
    assert frontmatter_problems(SkillPath(name), FIT | {"name": name}) == []


@pytest.mark.parametrize(
    ("segment", "is_name"), [("a" * 64, True), ("a-1", True), ("a" * 65, False), ("A", False), ("", False)]
)
def test_a_segment_is_a_skill_name_by_the_rule_for_names(segment: str, is_name: bool) -> None:
    """[agentskills.io]"""
    assert is_skill_name(segment) is is_name


def test_a_fit_entry_has_no_fault() -> None:
    """[SEP-2640 entries]"""
    assert entry_fault(ENTRY) is None
    assert entry_fault(replace(ENTRY, files=None)) is None


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"path": SkillPath("acme//refunds")}, "empty segment"),
        ({"path": SkillPath("../refunds")}, "'..' segment"),
        ({"path": SkillPath("")}, "empty segment"),
        ({"path": SkillPath("acme/other")}, "rename one of them"),
        ({"frontmatter": {"name": "refunds"}}, "there is no 'description'"),
        ({"files": ()}, "no SKILL.md"),
        ({"files": (_file("refs/SKILL.md"),)}, "no SKILL.md"),
        ({"files": (_file("SKILL.md"), _file("SKILL.md"))}, "'SKILL.md' twice"),
        ({"files": (_file("SKILL.md"), _file("a"), _file("a"))}, "'a' twice"),
        ({"files": (_file("SKILL.md"), _file("/a"))}, "empty segment"),
        ({"files": (_file("SKILL.md"), _file("a/"))}, "empty segment"),
        ({"files": (_file("SKILL.md"), _file(""))}, "empty segment"),
        ({"files": (_file("SKILL.md"), _file("a/../b"))}, "'..' segment"),
        ({"files": (_file("SKILL.md"), _file("./a"))}, "'.' segment"),
        ({"files": (_file("SKILL.md"), _file("a\\b"))}, "backslash"),
        ({"files": (_file("SKILL.md"), _file("a\nb"))}, "control character"),
        ({"files": (_file("SKILL.md"), _file("a\n"))}, "control character"),
        ({"files": (_file("SKILL.md"), _file("a\ud800"))}, "surrogate"),
        ({"files": (_file("SKILL.md"), _file("a"), _file("a/b"))}, "'a' both as a file and as a directory"),
        ({"files": (_file("SKILL.md"), _file("a/b/c"), _file("a/b"))}, "'a/b' both as a file and as a directory"),
        ({"files": (_file("SKILL.md"), _file("SKILL.md/a"))}, "'SKILL.md' both as a file and as a directory"),
        ({"files": (_file("SKILL.md", -1),)}, "the size -1"),
        ({"files": (_file("SKILL.md", True),)}, "the size True"),
        ({"files": (_file("SKILL.md", 1.0),)}, "the size 1.0"),
        ({"files": (_file("SKILL.md", None),)}, "the size None"),
        ({"files": (_file("SKILL.md", digest="sha256:" + "A" * 64),)}, "the digest"),
        ({"files": (_file("SKILL.md", digest="sha256:" + "a" * 63),)}, "the digest"),
        ({"files": (_file("SKILL.md", digest=DIGEST + "\n"),)}, "the digest"),
        ({"files": (_file("SKILL.md", digest=""),)}, "the digest"),
        ({"directories": ("a/..",)}, "'..' segment"),
        ({"directories": ("SKILL.md",)}, "both as a file and as a directory"),
        ({"directories": ("refs/é.md",)}, "both as a file and as a directory"),
        ({"directories": ("refs/é.md/x",)}, "both as a file and as a directory"),
        ({"directories": ("a", "a")}, "a directory twice"),
        ({"files": None, "directories": ("SKILL.md/a",)}, "both as a file and as a directory"),
    ],
)
def test_an_entry_that_breaks_a_rule_is_not_published(changes: dict[str, Any], fault: str) -> None:
    """[SEP-2640 entries] [ours]"""
    found = entry_fault(replace(ENTRY, **changes))
    assert found is not None
    assert fault in found
    assert "\n" not in found


@pytest.mark.parametrize("character", ["a", "é", " "])
def test_a_uri_of_the_largest_size_is_published_and_no_larger_one(character: str) -> None:
    """[ours]"""
    left = MAX_URI_BYTES - len(print_uri(("acme", "refunds", "")))
    printed = len(print_uri((character,))) - len("skill://")
    longest = character * (left // printed) + "x" * (left % printed)
    assert len(print_uri(("acme", "refunds", longest))) == MAX_URI_BYTES
    for extra, is_fit in (("", True), ("x", False)):
        files = (_file("SKILL.md"), _file(longest + extra))
        assert (entry_fault(replace(ENTRY, files=files)) is None) is is_fit
        assert (entry_fault(replace(ENTRY, directories=(longest + extra,))) is None) is is_fit


def test_a_skill_path_too_long_for_its_own_skill_md_is_not_published() -> None:
    """[ours]"""
    longest = "a" * (MAX_URI_BYTES - len("skill:///refunds/SKILL.md"))
    assert entry_fault(replace(ENTRY, path=SkillPath(f"{longest}/refunds"), files=None, directories=())) is None
    assert entry_fault(replace(ENTRY, path=SkillPath(f"{longest}a/refunds"), files=None, directories=())) is not None


def test_the_check_of_a_page_is_cheap() -> None:
    """[ours] 50 entries of 400 files: some tens of milliseconds, far from a second."""
    files = (_file("SKILL.md"), *(_file(f"references/deep/er/file-{number:03}.md") for number in range(399)))
    entry = replace(ENTRY, files=files)
    started = time.process_time()
    assert [entry_fault(entry) for _ in range(50)] == [None] * 50
    assert time.process_time() - started < 2


def test_large_entries_are_warned_about_and_served() -> None:
    """[ours]"""
    many = tuple(_file(f"f{number}") for number in range(512))
    large = replace(ENTRY, files=(_file("SKILL.md", 16 * 1024 * 1024 + 1), *many))
    assert [warning.code for warning in entry_warnings(large)] == ["many_files", "many_bytes"]
    assert entry_fault(replace(large, directories=())) is None
    assert entry_warnings(replace(ENTRY, files=(_file("SKILL.md", 16 * 1024 * 1024 - 511), *many[:511]))) == []
    assert entry_warnings(replace(ENTRY, files=None)) == []
