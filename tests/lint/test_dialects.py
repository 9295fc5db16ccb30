"""What each YAML dialect makes of a plain scalar."""

import pytest
import yaml

from gateway.lint.dialects import disagreement

# As npm js-yaml 4.1.0 and PyYAML 6 themselves read them; YAML 1.2 core by section 10.3.2.
ROWS = [
    ("yes", "text", "true", "text"),
    ("No", "text", "false", "text"),
    ("on", "text", "true", "text"),
    ("OFF", "text", "false", "text"),
    ("010", "the number 10", "the number 8", "the number 10"),
    ("08", "the number 8", "text", "the number 8"),
    ("0o17", "the number 15", "text", "the number 15"),
    ("1e3", "the number 1000", "text", "the number 1000"),
    ("1_000", "text", "the number 1000", "the number 1000"),
    ("1_0.5", "text", "the number 10.5", "the number 10.5"),
    ("0b1", "text", "the number 1", "the number 1"),
    ("-0x1F", "text", "the number -31", "the number -31"),
    ("-0o7", "text", "text", "the number -7"),
    ("+.5", "the number 0.5", "text", "text"),
    ("2024-01-01", "text", "a date", "a date"),
    ("2024-1-1", "text", "text", "text"),
    ("2024-13-45", "text", "an error", "a date"),
    ("2024-01-01T10:00:00Z", "text", "a date", "a date"),
    ("12:30:45", "text", "the number 45045", "text"),
    ("190:20:30.15", "text", "the number 685230.15", "text"),
    ("=", "text", "an error", "text"),
    ("<<", "text", "a merge key", "a merge key"),
    ("y", "text", "true", "text"),
    ("N", "text", "false", "text"),
]

_NOT_PYYAMLS = {"<<", "y", "N"}  # a key only; and in the text of YAML 1.1 alone


@pytest.mark.parametrize(("text", "core", "yaml11", "js"), ROWS, ids=[row[0] for row in ROWS])
def test_what_dialects_read_differently_is_said(text: str, core: str, yaml11: str, js: str) -> None:
    """[YAML 1.2.2 section 10.3.2] [YAML 1.1 types] [js-yaml 4]"""
    said = f"{text!r} is {core} to YAML 1.2, {yaml11} to YAML 1.1 (PyYAML), {js} to js-yaml 4; quote this value"
    assert disagreement(text) == (None if core == yaml11 == js else said)


@pytest.mark.parametrize("text", [row[0] for row in ROWS if row[0] not in _NOT_PYYAMLS])
def test_pyyaml_reads_as_the_table_says(text: str) -> None:
    """[PyYAML 6] The library itself is the judge."""
    expected = next(row[2] for row in ROWS if row[0] == text)
    try:
        value = yaml.safe_load(f"a: {text}")["a"]
    except (yaml.YAMLError, ValueError):
        value = ValueError
    kind = {bool: str(value).lower(), str: "text", int: f"the number {value}", float: f"the number {value}"}
    assert expected == ("an error" if value is ValueError else kind.get(type(value), "a date"))


@pytest.mark.parametrize("text", ["", "text", "true", "null", "1", "-1", "1.5", "0.5", ".5", "a b", "v1.2", "1.2.3"])
def test_what_every_dialect_reads_alike_is_passed_over(text: str) -> None:
    """[ours]"""
    assert disagreement(text) is None


@pytest.mark.parametrize("text", ["~", "0x1F"])
def test_what_only_the_core_schema_knows_is_said(text: str) -> None:
    """[YAML 1.2.2 section 10.2] The JSON schema has neither."""
    assert "by YAML's core schema" in (disagreement(text) or "")


@pytest.mark.parametrize("text", [".inf", ".nan", "9007199254740993"])
def test_a_number_that_is_refused_is_left_to_the_refusal(text: str) -> None:
    """[ours]"""
    assert disagreement(text) is None
