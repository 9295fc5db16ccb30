"""What `--fix` makes of the text of a `SKILL.md`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.lint.fix import fixed
from gateway.skill.frontmatter import read_frontmatter
from tests.lint.test_broken_skills import IN_SKILL_MD
from tests.lint.trees import skill

_AMBIGUOUS = ["yes", "off", "y", "1_000", "0b1", "2024-01-01", "2024-01-01 10:00:00", "12:30:45", "=", "<<"]
_NUMBERS = ["010", "0o17", "1e3", "0x1F", "+.5"]


def _as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


@pytest.mark.parametrize("text", [row[1] for row in IN_SKILL_MD], ids=[row[0] for row in IN_SKILL_MD])
def test_a_mended_file_is_a_fixed_point(text: str | bytes) -> None:
    """[ours]"""
    once = fixed(_as_bytes(text))
    assert fixed(once.data) == type(once)(once.data, ())
    assert (once.data == _as_bytes(text)) is (once.changes == ())


@pytest.mark.parametrize("scalar", [*_AMBIGUOUS, *_NUMBERS])
def test_what_is_text_is_quoted_and_stays_that_text(scalar: str) -> None:
    """[ours] Also a number, where the specification wants text."""
    before = skill(f"metadata:\n  x: {scalar} # why\n  z: 'k'\n")
    after = fixed(before.encode())
    assert after.data.decode() == skill(f"metadata:\n  x: \"{scalar}\" # why\n  z: 'k'\n")
    assert after.changes == (f"quoted {scalar} in line 5",)
    assert _value(after.data)["metadata"] == {"x": scalar, "z": "k"}


@pytest.mark.parametrize("scalar", [*_NUMBERS, "~", "true", "1.5"])
def test_what_is_no_text_is_left_where_it_may_be_anything(scalar: str) -> None:
    """[ours] Quotes would change the value."""
    before = skill(f"note: {scalar}\n").encode()
    assert fixed(before).data == before


@pytest.mark.parametrize("text", _AMBIGUOUS)
def test_the_value_stays_the_same(text: str) -> None:
    """[YAML 1.2.2] Keys, values, lists in flow and in block."""
    before = skill(f"{text}: 1\nb: {text}\nc: [x, {text}]\nd:\n  - {text}\n  - {{{text}: {text}}}\n").encode()
    after = fixed(before)
    assert len(after.changes) == 6
    assert _value(after.data) == _value(before)


@pytest.mark.parametrize(("header", "mended"), [(">", ">-"), ("|", "|-"), ("|2", "|-2"), ("> # why", ">- # why")])
def test_a_last_block_scalar_loses_its_final_newline_alone(header: str, mended: str) -> None:
    """[YAML 1.2.2 section 8.1.1.2]"""
    after = fixed(skill(f"note: {header}\n  one\n\n  two\n").encode())
    assert after.data.decode() == skill(f"note: {mended}\n  one\n\n  two\n")
    assert str(_value(after.data)["note"]) + "\n" == _value(skill(f"note: {header}\n  one\n\n  two\n").encode())["note"]


@pytest.mark.parametrize("fields", ["note: >\n  x\nz: w\n", "note: |+\n  x\n", "note: >-\n  x\n", "note: '>'\n"])
def test_other_block_scalars_are_left(fields: str) -> None:
    """[ours] `+` says that the newlines are meant."""
    assert fixed(skill(fields).encode()).changes == ()


def test_mark_and_line_breaks_are_mended_also_where_nothing_can_be_parsed() -> None:
    """[ours]"""
    after = fixed(b"\xef\xbb\xbfBody.\r\n\r\r\nMore.\r")
    assert after.data == b"Body.\n\nMore.\r"
    assert after.changes == ("removed the byte order mark", "changed CRLF to LF")


def test_bytes_that_are_no_utf8_are_left() -> None:
    """[ours]"""
    assert fixed(b"\xef\xbb\xbf---\r\n\xff").changes == ()


_SCALARS = st.sampled_from(
    [*_AMBIGUOUS, *_NUMBERS, "~", "text", "true", "1", "'yes'", '"no"', "é", "|\n    x", ">\n    x\n"]
)


@given(
    st.lists(st.tuples(st.sampled_from(["on", "b", "2024-01-01"]), _SCALARS), max_size=5, unique_by=lambda one: one[0])
)
def test_any_mending_keeps_every_value_but_numbers_that_become_text(fields: list[tuple[str, str]]) -> None:
    """[ours] And a final newline at the very end."""
    lines = "".join(f"  {key}: {value}\n" for key, value in fields)
    before = skill(f"metadata:\n{lines}" if fields else "").encode()
    after = fixed(before)
    assert fixed(after.data).changes == ()
    old, new = _value(before).get("metadata", {}), _value(after.data).get("metadata", {})
    assert list(old) == list(new)
    for (_, written), was, now in zip(fields, old.values(), new.values(), strict=True):
        kept = was if isinstance(was, str) or was is None else written
        assert now in (kept, str(kept).removesuffix("\n"))


def _value(data: bytes) -> dict[str, Any]:
    value = read_frontmatter(data, is_whole=True)
    assert value is not None
    return value
