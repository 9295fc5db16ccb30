"""What the loader refuses: by which code, and where."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.skill.yaml_load import load_yaml
from gateway.skill.yaml_text import MAX_TEXT_BYTES, YamlRefused

REFUSED = {
    "a: \0": ("control_character", 1, 4),
    "a: 1\nb: \x07": ("control_character", 2, 4),
    "a: \ud83d": ("lone_surrogate", 1, 4),
    'a: "\\ud83d"': ("lone_surrogate", 1, 4),
    "a: \uffff": ("noncharacter", 1, 4),
    "a: 1\rb: 2": ("lone_cr", 1, 5),
    "a: 1\r\nb\r: 2": ("lone_cr", 2, 2),
    "%YAML 1.2\n---\na: 1": ("directive", 1, 1),
    "a: !!str 5": ("tag", 1, 4),
    "a: ! 5": ("tag", 1, 4),
    "a: [&a 1, *a]": ("anchor", 1, 5),
    "a: **bold**": ("alias", 1, 4),
    "a: 1\nb: 2\na: 3": ("duplicate_key", 3, 1),
    "a: {b: 1, 'b': 2}": ("duplicate_key", 1, 11),
    "{1: a}": ("key_not_text", 1, 2),
    "a: {~: b}": ("key_not_text", 1, 5),
    "true: a": ("key_not_text", 1, 1),
    "1.5: a": ("key_not_text", 1, 1),
    ": a": ("missing_key", 1, 1),
    "? [a]\n: b": ("key_not_text", 1, 3),
    "? {a: b}\n: c": ("key_not_text", 1, 3),
    "a: .inf": ("not_finite", 1, 4),
    "a: -.INF": ("not_finite", 1, 4),
    "a: [.nan]": ("not_finite", 1, 5),
    "a: 1e400": ("not_finite", 1, 4),
    "a: 9007199254740992": ("integer_too_large", 1, 4),
    "a: -12345678901234567890": ("integer_too_large", 1, 4),
    "a: 0x20000000000000": ("integer_too_large", 1, 4),
    "a: 0o7777777777777777777": ("integer_too_large", 1, 4),
    "a: " + "9" * 5000: ("integer_too_large", 1, 4),
    "a: " + "[" * 64 + "1" + "]" * 64: ("too_deep", 1, 68),
    "a: " + "[" * 9000: ("too_deep", 1, 70),
    "- " * 9000: ("too_deep", 1, 131),
    "a: [" + "1," * 20_001 + "]": ("too_many_nodes", 1, 39_999),
    "a: " + "x" * MAX_TEXT_BYTES: ("frontmatter_too_large", 1, 1),
    "a: b: c": ("colon_in_value", 1, 5),
    "a: 1\nnot a key\n": ("missing_colon", 3, 1),
    'a: "b': ("unclosed_quote", 2, 1),
    "a: [b": ("bad_flow", 2, 1),
    "a: [b, c\nd: e": ("bad_flow", 2, 2),
    'a: "b" c': ("bad_indentation", 1, 8),
    " a: 1\nb: 2": ("yaml_syntax", 2, 1),
    'a: "\\q"': ("bad_escape", 1, 6),
    'a: "\\xZZ"': ("bad_escape", 1, 7),
    'a: "\\U00110000"': ("bad_escape", 1, 4),
    'a: "\\UFFFFFFFF"': ("bad_escape", 1, 4),
    "a: - b": ("bad_sequence", 1, 4),
    "a: ? b": ("bad_key", 1, 4),
    "a: @b": ("bad_start", 1, 4),
    "a: %b": ("bad_start", 1, 4),
    "a: `b`": ("bad_start", 1, 4),
    "a:\n\tb: 1": ("tab_indentation", 2, 2),
    "\ta: 1": ("tab_indentation", 1, 2),
    "a: x\n\ty": ("tab_indentation", 2, 2),
    "- \t- a": ("bad_sequence", 1, 4),
    "a: |\n\tx": ("tab_indentation", 2, 2),
    'a: "x"#c': ("comment_without_space", 1, 7),
    "a: [x]#c": ("comment_without_space", 1, 7),
    "a: [x,#c\n y]": ("comment_without_space", 1, 7),
    'a: "x\ny"': ("bad_indentation", 2, 1),
    'a: "x\n\ty"': ("bad_indentation", 2, 1),
    "a: [x,\ny]": ("bad_indentation", 2, 1),
    "a: {\n b: [\n 1\n]\n}": ("bad_indentation", 4, 1),
    "a:\n|\n": ("bad_indentation", 2, 1),
    "a: 1\n---\nb: 2": ("many_documents", 2, 1),
    "a: 1\n...\nb: 2": ("yaml_syntax", 3, 1),
    "a: |#c\n  x": ("yaml_syntax", 1, 5),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:24]))
def test_a_text_is_refused_by_its_code_at_its_place(text: str) -> None:
    """[ours]"""
    with pytest.raises(YamlRefused) as refusal:
        load_yaml(text)
    assert (refusal.value.code, refusal.value.line, refusal.value.column) == REFUSED[text]


def test_a_colon_in_a_plain_value_says_what_to_do() -> None:
    """[ours]"""
    with pytest.raises(YamlRefused, match=r"^1:17: ': ' inside a plain value; quote the value \[colon_in_value\]$"):
        load_yaml("description: Use: when")


def test_a_stack_that_is_nearly_full_is_a_refusal() -> None:
    """[ours] RecursionError never leaves."""

    def load_at_depth() -> str:
        try:
            return load_at_depth()
        except RecursionError:
            pass
        try:
            load_yaml("a: " + "[" * 60 + "]" * 60)
        except YamlRefused as refusal:
            return refusal.code
        raise RecursionError  # there was room after all: try one frame further up

    assert load_at_depth() == "too_deep"


HOSTILE = {
    "brackets": "a: " + "[" * 65_000,
    "braces": "a: " + "{" * 65_000,
    "bracket rows": "".join(f"k{row}: {'[' * 60}{']' * 60}\n" for row in range(500)),
    "single quotes": "a: " + "'" * 65_001,
    "quoted list": "a: [" + '"",' * 9_000 + "]",
    "one long word": "a: " + "x" * 65_000,
    "many words": "a: " + "x " * 32_000,
    "many lines": "a: " + "x\n  " * 16_000,
    "dashes": "- " * 32_000,
    "question marks": "? " * 32_000,
    "explicit keys": "".join(f"? k{row}\n: v\n" for row in range(5_000)),
    "keys": "".join(f"k{row}: v\n" for row in range(7_000)),
    "colons": ":" * 65_000,
    "blank lines": "\n" * 65_000,
    "blanks": "a: " + " \t" * 32_000,
    "comments": "#\n" * 32_000,
    "digits": "a: " + "1" * 65_000,
    "block of blanks": "a: |\n" + "\n" * 65_000,
    "escapes": 'a: "' + "\\n" * 32_000 + '"',
    "line separators": "a: " + "\u2028" * 21_000,
    "stair": "".join(" " * row + "a:\n" for row in range(300)),
    "pairs": "a: [" + "x: y, " * 9_000 + "]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_judged_in_linear_time(name: str) -> None:
    """[ours] Each takes about half a second of CPU at most; a quadratic scan of 64 KiB takes minutes."""
    started = time.process_time()
    refusal = _refusal_of(HOSTILE[name])
    assert time.process_time() - started < 10
    assert refusal is None or refusal.code != "frontmatter_too_large"  # the scanner had its say


PIECES = st.sampled_from(
    [
        *["a", "b: ", ": ", ":", "- ", "-", "? ", "[", "]", "{", "}", ", ", "'", '"', "#", " #", "|", ">", "|2-"],
        *["\\", "\\u", "\\UFFFFFFFF", "\n", "\n  ", "\n ", "\t", "\r\n", "\r", "%", "&a", "*a", "!t", "---", "..."],
        *["1", "1.0", "~", "\x85", "\u2028", "\ufeff", "\0"],
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=24).map("".join))
def test_any_text_is_a_value_or_a_refusal_inside_the_text(text: str) -> None:
    """[ours] Nothing else ever leaves the loader, and a refusal can be printed."""
    refusal = _refusal_of(text)
    if refusal:
        assert str(refusal).encode()
        assert 1 <= refusal.line <= text.count("\n") + text.count("\r") + 2
        assert refusal.column >= 1


def _refusal_of(text: str) -> YamlRefused | None:
    try:
        load_yaml(text)
    except YamlRefused as refusal:
        return refusal
    return None
