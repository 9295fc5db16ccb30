"""Values of YAML 1.2 core: our own table, every row as npm `yaml` 2.9.1 reads it."""

import math
from typing import Any

import pytest

from gateway.skill.yaml_load import load_yaml

SCALARS: dict[str, Any] = {
    "yes": "yes", "no": "no", "on": "on", "y": "y", "true": True, "True": True, "TRUE": True, "tRUE": "tRUE",
    "false": False, "null": None, "Null": None, "NULL": None, "nuLL": "nuLL", "~": None, "": None,
    "010": 10, "0o17": 15, "0o8": "0o8", "0x1F": 31, "+0x1": "+0x1", "0x": "0x", "0b11": "0b11", "+5": 5, "-7": -7,
    "1:30": "1:30", "1_000": "1_000", "1e3": 1000.0, "1.0": 1.0, "1.10": 1.1, "1.": 1.0, ".5": 0.5, "+.5": 0.5,
    ".": ".", "1.0e+3": 1000.0, "9007199254740991": 2**53 - 1, "-9007199254740991": 1 - 2**53,
    "2026-01-02": "2026-01-02", "2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z", "=": "=", "<<": "<<",
    "1.2.3": "1.2.3", "a:b": "a:b", ":a": ":a", "-a": "-a", "?a": "?a", "a#b": "a#b", "a #b": "a", "a\t#b": "a",
    "'1'": "1", '"yes"': "yes", "'it''s'": "it's", "\\n": "\\n", '"\\n\\x41\\u00e9"': "\nAé",
    '"\\ud83d\\ude00"': "😀", "😀": "😀", '"a\\\n  b"': "ab", "[a, 1, [b]]": ["a", 1, ["b"]], "[a b, c]": ["a b", "c"],
    "[https://h/?q=1, ?x, :y]": ["https://h/?q=1", "?x", ":y"], "[a: b]": [{"a": "b"}], "[1,]": [1],
    "{a, b: }": {"a": None, "b": None}, '{"a":1}': {"a": 1}, "{a:1}": {"a:1": None}, "{<<: {a: 1}}": {"<<": {"a": 1}},
    "[a,\n # c\n b]": ["a", "b"], "[a,\n]": ["a"], "a\n  b\n\n  c": "a b\nc", "a\u0085b": "a\u0085b",
    "a\u2028b": "a\u2028b", '"a\u2029b"': "a\u2029b", "|\n  a\u2028b": "a\u2028b\n", "\ufeffa": "\ufeffa",
    "\x7f": "\x7f", "\u0080": "\u0080",
}  # fmt: skip

BLOCKS: dict[str, str] = {
    "|\n  a\n  b\n\n": "a\nb\n",
    "|-\n  a\n\n": "a",
    "|+\n  a\n\n": "a\n\n",
    "|2\n    a\n": "  a\n",
    "| # comment\n  a\n": "a\n",
    "|\n  \ta\n": "\ta\n",
    ">\n  a\n  b\n\n  c\n   d\n": "a b\nc\n d\n",
    ">-\n  a\n  b\n": "a b",
    ">+\n  a\n\n": "a\n\n",
    "|\n  'a': # b\n": "'a': # b\n",
    "|\n": "",
}

LAYOUTS: dict[str, Any] = {
    "": None,
    "# only a comment\n": None,
    "a: 1": {"a": 1},
    "\ufeffa: 1\n": {"a": 1},
    "a: x\r\nb: |\r\n  y\r\n": {"a": "x", "b": "y\n"},
    "a:\n- 1\n": {"a": [1]},
    "a:\n  b:\n    - c: d\n      e: f\n": {"a": {"b": [{"c": "d", "e": "f"}]}},
    "? a\n: b\n": {"a": "b"},
    "a : 1\n": {"a": 1},
    "\"a b\": 1\n'c': 2\n": {"a b": 1, "c": 2},
    "'1': a\n\"true\": b\n'': c\n": {"1": "a", "true": "b", "": "c"},
    "yes: a\n2026-01-02: b\n1.2.3: c\n": {"yes": "a", "2026-01-02": "b", "1.2.3": "c"},
    "a:\tx\n": {"a": "x"},
    "\t\na: 1\n \t# c\nb: [1\t,2]\n": {"a": 1, "b": [1, 2]},
    "a: x\n \ty\n": {"a": "x y"},
    "a: 1\n...\n": {"a": 1},
    "é: ü\n日本: 語\n": {"é": "ü", "日本": "語"},
}


@pytest.mark.parametrize("text", SCALARS)
def test_a_scalar_has_its_core_schema_value(text: str) -> None:
    """[YAML 1.2.2 10.3.2]"""
    assert _typed(load_yaml(f"a: {text}\n")) == _typed({"a": SCALARS[text]})


@pytest.mark.parametrize("text", BLOCKS)
def test_a_block_scalar_is_folded_and_chomped(text: str) -> None:
    """[YAML 1.2.2 8.1]"""
    assert load_yaml(f"a: {text}b: 1\n") == {"a": BLOCKS[text], "b": 1}


@pytest.mark.parametrize("text", LAYOUTS)
def test_a_document_is_laid_out(text: str) -> None:
    """[YAML 1.2.2 6, 7, 8]"""
    assert _typed(load_yaml(text)) == _typed(LAYOUTS[text])


@pytest.mark.parametrize("text", ["-0", "-0.0"])
def test_a_negative_zero_keeps_its_sign(text: str) -> None:
    """[ours]"""
    assert load_yaml(f"a: {text}") == {"a": 0}
    assert math.copysign(1, load_yaml(text)) == -1  # type: ignore[arg-type]


def test_sixty_four_levels_and_twenty_thousand_nodes_are_read() -> None:
    """[ours]"""
    assert load_yaml("a: " + "[" * 63 + "1" + "]" * 63) is not None
    assert load_yaml("a: [" + "1," * 19_997 + "]") == {"a": [1] * 19_997}


def _typed(value: Any) -> Any:
    """The value with each number's type beside it: 1, 1.0 and True are equal to Python."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    return [_typed(item) for item in value] if isinstance(value, list) else (type(value), value)
