"""Media types, and text or binary."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.skill.media import Utf8Check, is_binary, is_textual, looks_like_utf8, media_type_of, needs_bytes


@pytest.mark.parametrize(
    ("file_path", "media_type"),
    [
        ("a.md", "text/markdown"),
        ("refs/A.MD", "text/markdown"),
        ("a.py", "text/x-python"),
        ("a.sh", "application/x-sh"),
        ("a.json", "application/json"),
        ("a.yml", "application/yaml"),
        ("a.toml", "application/toml"),
        ("a.js", "text/javascript"),
        ("a.ts", "text/typescript"),
        ("a.html", "text/html"),
        ("a.css", "text/css"),
        ("a.csv", "text/csv"),
        ("a.txt", "text/plain"),
        ("a.xml", "application/xml"),
        ("a.svg", "image/svg+xml"),
        ("a.png", "image/png"),
        ("a.jpeg", "image/jpeg"),
        ("a.gif", "image/gif"),
        ("a.webp", "image/webp"),
        ("a.pdf", "application/pdf"),
        ("a.zip", "application/zip"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("a.pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
        ("a.woff2", "font/woff2"),
        ("a.ttf", "font/ttf"),
        ("a.wasm", "application/wasm"),
        ("a.mp3", "audio/mpeg"),
        ("a.mp4", "video/mp4"),
        ("LICENSE", "text/plain"),
        ("NOTICE", "text/plain"),
        ("README", "text/plain"),
        ("AUTHORS", "text/plain"),
        ("scripts/Makefile", "text/x-makefile"),
        ("Dockerfile", "text/x-dockerfile"),
        (".gitignore", "text/plain"),
        ("a.tar.gz", "application/gzip"),
    ],
)
def test_a_name_gives_the_type_when_nobody_said_one(file_path: str, media_type: str) -> None:
    """[ours] [IANA]"""
    for stored in (
        None,
        "",
        "binary/octet-stream",
        "application/octet-stream",
        "Application/Octet-Stream; x=y",
        "junk",
    ):
        assert media_type_of(file_path, stored, None) == media_type
        assert not needs_bytes(file_path, stored)


def test_a_stored_type_wins_over_the_name_without_its_parameters() -> None:
    """[ours]"""
    assert media_type_of("a.md", "Text/X-Special; charset=utf-8", False) == "text/x-special"
    assert media_type_of("unknown", "image/png", True) == "image/png"
    assert not needs_bytes("unknown", "image/png")


def test_a_name_that_says_more_wins_over_a_stored_plain_text() -> None:
    """[S3: SeaweedFS makes text/plain up for an upload without a type]"""
    assert media_type_of("a.json", "text/plain", None) == "application/json"
    assert media_type_of("a.png", "text/plain", None) == "image/png"
    assert media_type_of("a.bin", "text/plain", None) == "text/plain"
    assert media_type_of("unknown", "text/plain; charset=utf-8", None) == "text/plain"


@pytest.mark.parametrize("file_path", ["SKILL.md", "inner/SKILL.md"])
def test_skill_md_is_markdown_whatever_was_stored(file_path: str) -> None:
    """[SEP-2640]"""
    assert media_type_of(file_path, "application/octet-stream", None) == "text/markdown"
    assert media_type_of(file_path, "text/plain", None) == "text/markdown"
    assert not needs_bytes(file_path, None)


@pytest.mark.parametrize("file_path", ["no-extension", "a.unknown", "md", "a.", "a.d/file", "refs/..dots..zz"])
def test_only_the_bytes_can_tell_an_unknown_name(file_path: str) -> None:
    """[ours]"""
    assert needs_bytes(file_path, "binary/octet-stream")
    verdicts = [media_type_of(file_path, None, is_text) for is_text in (True, False, None)]
    assert verdicts == ["text/plain", "application/octet-stream", "application/octet-stream"]


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "text/anything",
        "application/json",
        "application/ld+json",
        "application/xml",
        "image/svg+xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/x-sh",
        "application/sql",
        "application/graphql",
        "application/javascript",
        "application/xhtml+xml",
        "application/typescript",
        "application/x-ndjson",
    ],
)
def test_a_textual_type_is_binary_only_by_its_bytes(media_type: str) -> None:
    """[ours]"""
    assert is_textual(media_type)
    assert not is_binary(media_type, is_text=True)
    assert is_binary(media_type, is_text=False)


@pytest.mark.parametrize(
    "media_type",
    ["application/octet-stream", "image/png", "application/pdf", "font/ttf", "application/zip", "video/mp4"],
)
def test_a_binary_type_is_binary_even_with_ascii_bytes(media_type: str) -> None:
    """[ours]"""
    assert not is_textual(media_type)
    assert is_binary(media_type, is_text=True)


def _cuts(data: bytes) -> st.SearchStrategy[int]:
    return st.integers(0, len(data))


@given(st.text(max_size=30).map(str.encode), st.data())
def test_text_cut_anywhere_still_looks_like_text(data: bytes, draws: st.DataObject) -> None:
    """[RFC 3629]"""
    head, tail = draws.draw(_cuts(data)), draws.draw(_cuts(data))
    assert looks_like_utf8(data[:head], data[tail:])
    assert looks_like_utf8(data, None)


@given(st.text(max_size=30).map(str.encode), st.lists(st.integers(0, 120), max_size=5))
def test_text_fed_in_chunks_is_text(data: bytes, cuts: list[int]) -> None:
    """[RFC 3629]"""
    edges = [0, *sorted(cuts), len(data)]
    check = Utf8Check()
    for start, stop in pairwise(edges):
        check.feed(data[start:stop])
    assert check.finish()


INVALID = st.sampled_from(
    [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"a\xc3a", b"\x80\x80\x80\x80", b"\xe9 "]
)


@given(st.text(max_size=10).map(str.encode), INVALID, st.text(min_size=1, max_size=10).map(str.encode))
def test_invalid_bytes_are_found_wherever_they_stand(before: bytes, invalid: bytes, after: bytes) -> None:
    """[RFC 3629]"""
    odd = b"x" + before + invalid + after
    assert not looks_like_utf8(odd, b"tail")
    assert not looks_like_utf8(b"head", odd)
    assert not looks_like_utf8(odd, None)
    check = Utf8Check()
    for position in range(len(odd)):
        check.feed(odd[position : position + 1])
    assert not check.finish()


@given(st.binary(max_size=40))
def test_the_verdict_on_whole_bytes_is_that_of_the_decoder(data: bytes) -> None:
    """[RFC 3629]"""
    try:
        data.decode()
    except UnicodeDecodeError:
        is_valid = False
    else:
        is_valid = True
    check = Utf8Check()
    check.feed(data)
    assert (looks_like_utf8(data, None), check.finish()) == (is_valid, is_valid)


@pytest.mark.parametrize("cut", [b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98"])
def test_a_whole_object_that_ends_inside_a_character_is_no_text(cut: bytes) -> None:
    """[RFC 3629] The same bytes at the end of a head are."""
    assert not looks_like_utf8(b"a" + cut, None)
    assert not looks_like_utf8(b"a", b"b" + cut)
    assert looks_like_utf8(b"a" + cut, b"b")
