"""From the first bytes of a `SKILL.md` to one mapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.skill.frontmatter import (
    MAX_FRONTMATTER_BYTES,
    MAX_HEAD_BYTES,
    FrontmatterRefused,
    find_frontmatter,
    load_frontmatter,
    read_frontmatter,
)

FOUND = {
    b"---\na: 1\n---\nbody": "a: 1\n",
    b"---\na: 1\n---": "a: 1\n",
    b"---\na: 1\n\n---\n": "a: 1\n\n",
    b"\xef\xbb\xbf---\na: 1\n---\n": "a: 1\n",
    b"--- \t\na: 1\n---\t \n": "a: 1\n",
    b"---\r\na: 1\r\nb: |\r\n  x\r\n---\r\nbody": "a: 1\nb: |\n  x\n",
    b"---\n---\n": "",
    b"---\na: ---\n ---\n----\n---x\n---\n": "a: ---\n ---\n----\n---x\n",
    b"---\na: 1\n---\n\xff\xfe": "a: 1\n",
}
REFUSED = {
    b"": ("no_frontmatter", 1, 1),
    b"# Title\n---\na: 1\n---\n": ("no_frontmatter", 1, 1),
    b"\n---\na: 1\n---\n": ("no_frontmatter", 1, 1),
    b" ---\na: 1\n---\n": ("no_frontmatter", 1, 1),
    b"---x\na: 1\n---\n": ("no_frontmatter", 1, 1),
    b"---": ("no_frontmatter", 1, 1),
    b"---\ra: 1\r---\r": ("no_frontmatter", 1, 1),
    b"\xef\xbb\xbf\xef\xbb\xbf---\na: 1\n---\n": ("no_frontmatter", 1, 1),
    "---\na: 1\n---\n".encode("utf-16"): ("no_frontmatter", 1, 1),
    b"---\na: 1\n": ("unclosed_frontmatter", 1, 1),
    b"---\na: 1\n---\r": ("unclosed_frontmatter", 1, 1),
    b"---\na: 1\n--- x\n": ("unclosed_frontmatter", 1, 1),
    b"---\na: 1\nb: caf\xe9\n---\n": ("not_utf8", 3, 7),
    b"---\na: \xc3\xa9\xff\n---\n": ("not_utf8", 2, 5),
    b"---\na: \xed\xa0\x80\n---\n": ("not_utf8", 2, 4),
    b"---\n" + b"#" * MAX_FRONTMATTER_BYTES + b"\n---\n": ("frontmatter_too_large", 1, 1),
}


@pytest.mark.parametrize("data", FOUND)
def test_the_text_between_the_fences_is_found(data: bytes) -> None:
    """[ours]"""
    assert find_frontmatter(data, is_whole=True) == FOUND[data]


@pytest.mark.parametrize("data", REFUSED, ids=lambda data: repr(data[:20]))
def test_a_file_without_a_readable_frontmatter_is_refused(data: bytes) -> None:
    """[ours]"""
    with pytest.raises(FrontmatterRefused) as refusal:
        find_frontmatter(data, is_whole=True)
    assert (refusal.value.code, refusal.value.line, refusal.value.column) == REFUSED[data]


@pytest.mark.parametrize("data", [data for data in FOUND if data.endswith((b"body", b"\xfe"))])
def test_every_shorter_head_asks_for_more_until_the_fence_is_in_it(data: bytes) -> None:
    """[ours]"""
    answers = [find_frontmatter(data[:length], is_whole=False) for length in range(len(data) + 1)]
    first = next(length for length, answer in enumerate(answers) if answer is not None)
    assert data[:first].endswith(b"---\n") or data[:first].endswith(b"---\r\n")
    assert set(answers[first:]) == {FOUND[data]}


@pytest.mark.parametrize("head", [b"#", b"--\n", b"----", b"---\r\r", b"\xff", b"# no fence in the first line"])
def test_a_head_that_cannot_become_a_frontmatter_is_refused_at_once(head: bytes) -> None:
    """[ours]"""
    with pytest.raises(FrontmatterRefused, match="no_frontmatter"):
        find_frontmatter(head, is_whole=False)


@pytest.mark.parametrize("start", [b"---\na: ", b"---", b"--- \n"])
def test_a_head_of_the_largest_size_never_asks_for_more(start: bytes) -> None:
    """[ours] Otherwise a hostile file is fetched for ever."""
    with pytest.raises(FrontmatterRefused, match=r"frontmatter_too_large|no_frontmatter"):
        find_frontmatter(start.ljust(MAX_HEAD_BYTES), is_whole=False)


def test_the_largest_frontmatter_is_read_from_a_head_of_the_largest_size() -> None:
    """[ours]"""
    text = b"a: " + b"x" * (MAX_FRONTMATTER_BYTES - 4) + b"\n"
    data = b"\xef\xbb\xbf---\n" + text + b"---\n" + b"body" * 1000
    assert find_frontmatter(data[:MAX_HEAD_BYTES], is_whole=False) == text.decode()
    assert read_frontmatter(data, is_whole=True) == {"a": "x" * (MAX_FRONTMATTER_BYTES - 4)}


def test_a_mapping_is_read_with_its_values() -> None:
    """[ours]"""
    data = b"---\nname: a\nversion: 1.0\ntags: [x, 2]\n---\n# body\n"
    assert read_frontmatter(data, is_whole=False) == {"name": "a", "version": 1.0, "tags": ["x", 2]}
    assert read_frontmatter(data[:12], is_whole=False) is None


@pytest.mark.parametrize("text", ["", "# comment\n", "- a\n", "text\n", "1\n"])
def test_a_frontmatter_that_is_no_mapping_is_refused(text: str) -> None:
    """[ours]"""
    with pytest.raises(FrontmatterRefused, match=r"^SKILL.md:2:1: .* \[not_a_mapping\]$"):
        load_frontmatter(text)


def test_a_refusal_counts_lines_in_the_file_itself() -> None:
    """[ours] The fence is line 1."""
    with pytest.raises(FrontmatterRefused) as refusal:
        read_frontmatter(b"---\r\nname: a\r\ndescription: Use: this\r\n---\r\n", is_whole=True)
    assert (refusal.value.code, refusal.value.line, refusal.value.column) == ("colon_in_value", 3, 17)
    assert refusal.value.reason == "frontmatter_refused"
    assert str(refusal.value) == "SKILL.md:3:17: ': ' inside a plain value; quote the value [colon_in_value]"


YAML_1_1_AGAINST_1_2 = {
    "yes": "yes", "on": "on", "2026-01-02": "2026-01-02", "010": 10, "0o17": 15, "1:30": "1:30", "1_000": "1_000",
    "1e3": 1000.0, "{<<: {a: 1}}": {"<<": {"a": 1}}, "y": "y", "0b11": "0b11", "=": "=", "a:b": "a:b",
}  # fmt: skip


@pytest.mark.parametrize("value", YAML_1_1_AGAINST_1_2)
def test_the_value_of_yaml_1_2_is_served_where_dialects_differ(value: str) -> None:
    """[ours]"""
    data = f"---\nname: a\nx-value: {value}\n---\n".encode()
    assert read_frontmatter(data, is_whole=True) == {"name": "a", "x-value": YAML_1_1_AGAINST_1_2[value]}


@given(st.binary(max_size=40).map(lambda data: b"---\n" + data) | st.binary(max_size=40), st.booleans())
def test_any_bytes_are_a_text_a_wish_for_more_or_a_refusal(data: bytes, is_whole: bool) -> None:
    """[ours]"""
    try:
        found, code = find_frontmatter(data, is_whole=is_whole), ""
    except FrontmatterRefused as refusal:
        found, code = None, refusal.code
    assert code in ("", "no_frontmatter", "unclosed_frontmatter", "not_utf8")
    assert found is not None or code or not is_whole
