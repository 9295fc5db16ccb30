"""Severities, strictness and what is passed over."""

import pytest

from gateway.lint.finding import Finding, Policy, by_rule, is_ignored, judged, parse_severity

REFUSED = Finding("a/SKILL.md", 2, 1, "name_mismatch", "error", "no")
WARNED = by_rule("a/x.md", "broken_link", "no", 7, 2)


def test_findings_come_by_file_and_place() -> None:
    """[ours]"""
    assert judged([WARNED, REFUSED, WARNED], Policy({})) == (REFUSED, WARNED)


@pytest.mark.parametrize(("severity", "found"), [("off", []), ("warning", ["warning"]), ("error", ["error"])])
def test_a_rule_has_the_severity_that_was_asked_for(severity: str, found: list[str]) -> None:
    """[ours]"""
    policy = Policy(dict([parse_severity(f"broken_link={severity}")]))
    assert [one.severity for one in judged([WARNED], policy)] == found


def test_strict_makes_errors_of_warnings_but_not_of_what_is_off() -> None:
    """[ours]"""
    crlf = by_rule("a/SKILL.md", "crlf", "no")
    assert [one.severity for one in judged([WARNED, crlf], Policy({"crlf": "off"}, is_strict=True))] == ["error"]


def test_what_is_refused_is_never_passed_over() -> None:
    """[ours] No flag makes a gateway serve it."""
    assert judged([REFUSED, WARNED], Policy({}, ("a",))) == (REFUSED,)


@pytest.mark.parametrize("text", ["broken_link", "broken_link=none", "name_mismatch=off", "=off", ""])
def test_a_severity_that_cannot_be_is_refused(text: str) -> None:
    """[ours]"""
    with pytest.raises(ValueError, match=r"no severity of a rule|no rule with a severity"):
        parse_severity(text)


@pytest.mark.parametrize(
    ("glob", "ignored"),
    [
        ("a", True),
        ("a/", True),
        ("a/b", True),
        ("a/b/c.md", True),
        ("*.md", True),
        ("b", True),
        ("a/*", True),
        ("c", False),
        ("b/c.md", False),
        ("A", False),
    ],
)
def test_a_glob_names_a_path_a_folder_above_it_or_a_segment(glob: str, ignored: bool) -> None:
    """[ours]"""
    assert is_ignored("a/b/c.md", [glob]) is ignored
