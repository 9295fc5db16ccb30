"""`skill://` URIs: what is parsed, what is refused, what is printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import InvalidUri
from gateway.skill.uri import MAX_URI_BYTES, parse_uri, print_uri, segment_fault

PARSED = {
    "skill://Team/x/SKILL.md": ("Team", "x", "SKILL.md"),
    "SKILL://team/x": ("team", "x"),
    "Skill://team/x": ("team", "x"),
    "skill://x": ("x",),
    "skill://team:443/x": ("team:443", "x"),
    "skill://team:080/x": ("team:080", "x"),
    "skill://téam/x": ("téam", "x"),
    "skill://日本/x": ("日本", "x"),
    "skill://😀/x": ("😀", "x"),
    "skill://xn--tam-bma/x": ("xn--tam-bma", "x"),
    "skill://t/a%41": ("t", "aA"),
    "skill://t/caf%C3%A9": ("t", "café"),
    "skill://t/caf%c3%a9": ("t", "café"),
    "skill://t/a b": ("t", "a b"),
    "skill://t/a%20b": ("t", "a b"),
    "skill://t/%20a": ("t", " a"),
    "skill://t/%252e%252e/x": ("t", "%2e%2e", "x"),
    "skill://t/..x../...": ("t", "..x..", "..."),
    "skill://t/a%3Fb%23c": ("t", "a?b#c"),
    "skill://t/a+b&c=d@e[f]": ("t", "a+b&c=d@e[f]"),
    "skill://%40t/%5Bx%5D": ("@t", "[x]"),
}
REFUSED = [
    "", " ", "not a uri", "skill", "skill:", "skill:/x", "skill://", "skill:///x", "skill://x/", "skill://team/x//y",
    "https://Example.COM:443/a/../S", "s\u212aill://x", "\ufeffskill://x", "xskill://x",
    "skill://user:pw@team/x", "skill://@/x", "skill://[::1]/x", "skill://]/x",
    "skill://team/../x", "skill://team/./x", "skill://..", "skill://team/..", "skill://team/%2e%2e/x",
    "skill://team/.%2E/x", "skill://team/%2e/x", "skill://team/a%2Fb", "skill://team/a%2fb", "skill://%2F",
    "skill://team/x?v=1", "skill://team/x#frag", "skill://team/x?", "skill://team/x#",
    "skill://team/x\\..\\SKILL.md", "skill://team/%5C..%5C", "skill://team/a\0b", "skill://team/a\nb", "skill://team/%00",
    "skill://team/%0a", "skill://team/\x7f", "skill://team/%C2%80", "skill://team/\x85b", " skill://x", "skill://x ",
    "skill://x\n", "\tskill://x", "skill://x\u00a0", "skill://team/%", "skill://team/%4", "skill://team/%zz",
    "skill://team/%\uff11\uff11", "skill://team/%+1", "skill://team/%FF", "skill://team/%ED%A0%80", "skill://team/%C0%AE",
    "skill://team/\ud800", "\ud800", "skill://" + "a" * 9000, "skill://" + "é" * 1021,
]  # fmt: skip


@pytest.mark.parametrize("uri", PARSED)
def test_a_uri_is_parsed_to_its_decoded_segments(uri: str) -> None:
    """[SDK 1.6] [RFC 3986 2.1]"""
    assert parse_uri(uri) == PARSED[uri]
    assert parse_uri(print_uri(PARSED[uri])) == PARSED[uri]


@pytest.mark.parametrize("uri", REFUSED, ids=lambda uri: ascii(uri[:40]))
def test_a_uri_that_no_skill_can_have_is_refused(uri: str) -> None:
    """[SDK 1.6] [ours]"""
    with pytest.raises(InvalidUri) as refusal:
        parse_uri(uri)
    assert len(str(refusal.value)) < 300
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    ("segments", "uri"),
    [
        (("acme", "refunds", "SKILL.md"), "skill://acme/refunds/SKILL.md"),
        (("t", "with space.md"), "skill://t/with%20space.md"),
        (("t", "100%.md"), "skill://t/100%25.md"),
        (("t", "hash#tag?.md"), "skill://t/hash%23tag%3F.md"),
        (("t", "日本.txt"), "skill://t/%E6%97%A5%E6%9C%AC.txt"),
        (("t", "a+b&c=d;e,f!$'()*"), "skill://t/a+b&c=d;e,f!$'()*"),
        (("t", '[b]{c}~^|`"<>'), "skill://t/%5Bb%5D%7Bc%7D~%5E%7C%60%22%3C%3E"),
        (("@t:1", "a@b:c"), "skill://%40t%3A1/a%40b%3Ac"),
        (("t", "%41"), "skill://t/%2541"),
        (("t", "e\u0301", "\u00e9"), "skill://t/e%CC%81/%C3%A9"),
    ],
)
def test_a_uri_is_printed_in_its_one_canonical_spelling(segments: tuple[str, ...], uri: str) -> None:
    """[ours] [RFC 3986 3.3]"""
    assert print_uri(segments) == uri
    assert parse_uri(uri) == segments


SEGMENTS = st.text(min_size=1, max_size=12).filter(lambda segment: segment_fault(segment) is None)


@given(st.lists(SEGMENTS, min_size=1, max_size=6).map(tuple))
def test_every_fit_path_survives_printing_and_parsing(segments: tuple[str, ...]) -> None:
    """[ours]"""
    uri = print_uri(segments)
    assert uri.isascii()
    assert parse_uri(uri) == segments


@given(st.text(max_size=30).map(lambda text: "skill://" + text))
def test_what_is_parsed_has_fit_segments_and_one_spelling(uri: str) -> None:
    """[ours]"""
    try:
        segments = parse_uri(uri)
    except InvalidUri:
        return
    assert [segment_fault(segment) for segment in segments] == [None] * len(segments)
    assert parse_uri(print_uri(segments)) == segments


@given(st.text(max_size=40, alphabet=st.characters()))
def test_any_text_is_parsed_or_refused(uri: str) -> None:
    """[ours]"""
    try:
        message = f"{parse_uri(uri)}"
    except InvalidUri as refusal:
        message = str(refusal)
    assert message.encode()


def test_the_bound_counts_bytes() -> None:
    """[ours]"""
    assert parse_uri("skill://" + "a" * (MAX_URI_BYTES - 8)) == ("a" * (MAX_URI_BYTES - 8),)
    assert parse_uri("skill://" + "é" * 1020) == ("é" * 1020,)
    for uri in ("skill://" + "a" * (MAX_URI_BYTES - 7), "skill://" + "é" * 1020 + "a"):
        with pytest.raises(InvalidUri, match="at most 2048"):
            parse_uri(uri)
