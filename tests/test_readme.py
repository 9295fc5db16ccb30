"""The README says what the code does."""

import re
from pathlib import Path

import pytest

from gateway.settings import Settings
from gateway.settings.faults import variable
from tools.readme_tables import with_tables

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_generated_tables_are_up_to_date() -> None:
    """[ours] Mend it with: make docs."""
    assert with_tables(README) == README


def test_a_readme_without_its_markers_is_refused() -> None:
    """[ours]"""
    with pytest.raises(ValueError, match="has 0 parts marked settings, expected one"):
        with_tables("# skills-gateway\n")


def test_every_variable_that_the_documents_name_exists() -> None:
    """[ours] GATEWAY_CONFIG names the file and GATEWAY_SKIP_NPM is for tests; neither is a setting."""
    documents = README + (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    named = set(re.findall(r"GATEWAY_[A-Z_]*[A-Z]", documents))
    assert named - {"GATEWAY_CONFIG", "GATEWAY_SKIP_NPM"} == {variable(name) for name in Settings.model_fields}


def test_every_make_target_that_the_readme_names_exists() -> None:
    """[ours]"""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)\b(?! it)", README)) - {"them"} <= targets


def test_every_link_into_the_repository_leads_somewhere() -> None:
    """[ours]"""
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert links != []
