"""What every file, module, variable and output must have."""

import re

import pytest

from gateway.settings import Settings
from gateway.settings.faults import variable
from tests.terraform.sources import ROOT, blocks, files, folders, modules, parsed, text
from tests.terraform.tables import with_tables

SKIP = re.compile(r"#checkov:skip=(\w+):?(.*)")


@pytest.mark.parametrize("name", files())
def test_a_file_parses_and_says_something(name: str) -> None:
    """[ours]"""
    assert parsed(name) != {}


def test_the_modules_are_those_and_each_has_its_files() -> None:
    """[ours]"""
    assert modules() == [".", "modules/bucket", "modules/minio", "modules/publisher", "modules/service"]
    parts = ("main.tf", "variables.tf", "outputs.tf", "versions.tf", "README.md")
    assert [f"{folder}/{part}" for folder in folders() for part in parts if not (ROOT / folder / part).is_file()] == []


def test_every_module_has_a_test_for_who_has_terraform() -> None:
    """[ours] With a provider that makes everything up."""
    for folder in modules():
        (name,) = [name for name in files() if name.startswith(f"{folder}/tests/".removeprefix("./"))]
        assert [label for row in parsed(name)["mock_provider"] for label in row] != []
        assert len(parsed(name)["run"]) >= 3


@pytest.mark.parametrize("folder", folders())
def test_a_variable_has_a_type_and_a_description_and_is_never_null(folder: str) -> None:
    """[ours]"""
    found = dict(blocks(folder, "variable"))
    lacking = [
        (name, key) for name, body in found.items() for key in ("type", "description", "nullable") if key not in body
    ]
    assert lacking == []
    assert [name for name, body in found.items() if body["nullable"] is not False] == []


@pytest.mark.parametrize("folder", folders())
def test_an_output_has_a_description(folder: str) -> None:
    """[ours]"""
    found = dict(blocks(folder, "output"))
    assert found != {}
    assert [name for name, body in found.items() if not str(body.get("description", "")).endswith(".")] == []


@pytest.mark.parametrize("folder", folders())
def test_terraform_and_providers_are_pinned(folder: str) -> None:
    """[ours]"""
    (settings,) = parsed(f"{folder}/versions.tf")["terraform"]
    (providers,) = settings["required_providers"]
    assert settings["required_version"].startswith("~> 1.")
    assert {name: entry["source"] for name, entry in providers.items()} in (
        {"aws": "hashicorp/aws"},
        {"minio": "aminueza/minio"},
    )
    assert [entry["version"] for entry in providers.values() if not entry["version"].startswith("~> ")] == []


@pytest.mark.parametrize("folder", modules())
def test_a_module_brings_neither_provider_nor_backend(folder: str) -> None:
    """[ours] Both are for who uses it to say."""
    assert list(blocks(folder, "provider")) == []
    assert "backend" not in parsed(f"{folder}/versions.tf")["terraform"][0]


@pytest.mark.parametrize("folder", modules())
def test_the_readme_of_a_module_tells_its_variables_and_outputs(folder: str) -> None:
    """[ours] Mend it with: python -m tests.terraform.tables"""
    readme = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    assert with_tables(folder, readme) == readme


def test_every_setting_that_is_named_exists() -> None:
    """[ours] GATEWAY_CONFIG names the file of settings."""
    written = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("*") if path.suffix in (".tf", ".md"))
    named = set(re.findall(r"GATEWAY_[A-Z_]*[A-Z]", written + "".join((ROOT / name).read_text() for name in files())))
    assert named - {"GATEWAY_CONFIG"} <= {variable(name) for name in Settings.model_fields}
    assert "GATEWAY_BUCKET" in named


def test_whatever_checkov_is_to_skip_has_its_reason() -> None:
    """[ours]"""
    skips = [found for folder in folders() for found in SKIP.findall(text(folder))]
    assert skips != []
    assert [rule for rule, reason in skips if len(reason.split()) < 5 or not reason.endswith(".")] == []
