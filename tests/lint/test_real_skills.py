"""The linter over the skills that five organisations publish, beside the official TypeScript SDK."""

import tarfile
from pathlib import Path

import pytest

from gateway.cli.lint_fix import fix_texts
from gateway.cli.lint_folder import LintFolder
from tests.lint.trees import findings_of, served
from tests.lint.typescript import typescript_verdict
from tests.shared_data import shared

SKILLS = 255
# Both the gateway and the SDK refuse metadata with a number in it. There is no exception either way.
REFUSED = {
    "google/ads/data-manager-api-audience-ingestion": 10,
    "google/ads/data-manager-api-event-ingestion": 12,
    "google/ads/data-manager-api-setup": 11,
}
"""Skill, and the line of its `version`."""

EXCEPTIONS: frozenset[str] = frozenset()
"""Skills on which the verdicts differ."""


@pytest.fixture
def real_skills(tmp_path: Path) -> Path:
    with tarfile.open(shared("corpus/skills.tar.gz")) as archive:
        archive.extractall(tmp_path / "skills", filter="data")
    return tmp_path / "skills"


def test_every_error_is_a_refusal_with_its_line(real_skills: Path) -> None:
    """[agentskills.io: metadata maps texts to texts]"""
    errors = [finding for finding in findings_of(real_skills) if finding.severity == "error"]
    assert [(one.path, one.line, one.column, one.code) for one in errors] == [
        (f"{skill}/SKILL.md", line, 3, "metadata_not_text") for skill, line in REFUSED.items()
    ]


def test_the_verdict_is_that_of_the_typescript_sdk_before_and_after_mending(real_skills: Path) -> None:
    """[SEP-2640] Mending leaves nothing invalid."""
    accepted = typescript_verdict(real_skills)
    assert served(real_skills) ^ accepted == EXCEPTIONS
    assert len(accepted) == SKILLS - len(REFUSED)
    assert len(list(fix_texts(LintFolder.at(real_skills), ()))) >= len(REFUSED)
    assert served(real_skills) ^ typescript_verdict(real_skills) == EXCEPTIONS
    assert len(served(real_skills)) == SKILLS


def test_mending_again_changes_nothing(real_skills: Path) -> None:
    """[ours] And what is left to say of them are warnings that no program can mend."""
    assert list(fix_texts(LintFolder.at(real_skills), ())) != []
    assert list(fix_texts(LintFolder.at(real_skills), ())) == []
    assert {finding.code for finding in findings_of(real_skills)} == {"broken_link", "many_tokens"}
