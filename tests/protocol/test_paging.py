"""Cursors to pages and back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.cursor import CursorScope, CursorSealer
from gateway.errors import CursorRefused
from gateway.protocol.options import AdapterOptions
from gateway.protocol.paging import Pager
from gateway.provider import Caller, Page

KEY = b"k" * 32
SCOPE = CursorScope("skills/list")
CALLER = Caller("https://issuer", "client", "someone", "stable")


def pager(now: float = 1_000_000.0, **options: int) -> Pager:
    return Pager(AdapterOptions((KEY,), **options), CursorSealer([KEY]), lambda: now)


def sealed(by: Pager, position: str = "here", served: int = 3) -> str:
    return by.seal(position, Page(7, 10), served, SCOPE, CALLER)["nextCursor"]


def test_no_cursor_is_the_first_page() -> None:
    """[MCP Pagination]"""
    assert pager(page_size=7).open(None, SCOPE, CALLER) == Page(7, 0, None)


def test_the_last_page_has_no_cursor_at_all() -> None:
    """[SEP-2640 list]"""
    assert pager().seal(None, Page(7), 3, SCOPE, CALLER) == {}


def test_a_cursor_counts_what_was_served_and_keeps_the_position() -> None:
    """[ours]"""
    assert pager(page_size=7).open(sealed(pager()), SCOPE, CALLER) == Page(7, 13, "here")


def test_the_page_size_is_that_of_now_not_of_the_cursor() -> None:
    """[ours] A new setting holds from the next page on."""
    assert pager(page_size=2).open(sealed(pager(page_size=50)), SCOPE, CALLER).limit == 2


def test_a_cursor_of_another_variant_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    caplog.set_level("INFO", "gateway")
    with pytest.raises(CursorRefused) as refused:
        pager().open(sealed(pager()), SCOPE, replace(CALLER, variant="canary"))
    assert refused.value.cause == "foreign_variant"
    assert caplog.messages == ["cursor of skills/list refused: foreign_variant"]


@pytest.mark.parametrize(
    ("cursor", "cause"), [("", "empty"), ("A" * 9000, "too_long"), ("x y", "not_base64"), ("AAAA", "not_ours")]
)
def test_the_log_says_why_a_cursor_was_refused_and_never_the_cursor(
    cursor: str, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours]"""
    caplog.set_level("INFO", "gateway")
    with pytest.raises(CursorRefused):
        pager().open(cursor, SCOPE, CALLER)
    assert caplog.messages == [f"cursor of skills/list refused: {cause}"]


@given(st.floats(0, 2**33), st.integers(1, 30 * 86_400))
def test_a_cursor_lives_for_its_time_and_at_most_a_twelfth_more(now: float, ttl_s: int) -> None:
    """[ours] At least a second more, for the shortest times."""
    cursor = sealed(pager(now, cursor_ttl_s=ttl_s))
    assert pager(now + ttl_s - 1, cursor_ttl_s=ttl_s).open(cursor, SCOPE, CALLER).position == "here"
    with pytest.raises(CursorRefused) as refused:
        pager(now + ttl_s + max(1, ttl_s // 12), cursor_ttl_s=ttl_s).open(cursor, SCOPE, CALLER)
    assert refused.value.cause == "expired"


def test_the_same_request_gets_the_same_cursor_for_a_while() -> None:
    """[ours] An hour's cursors change every five minutes."""
    first, last, later = (sealed(pager(now)) for now in (999_900.0, 1_000_199.9, 1_000_200.0))
    assert first == last
    assert first != later


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 1000), st.integers(0, 2**31))
def test_every_page_opens_where_the_one_before_ended(position: str, served: int, offset: int) -> None:
    """[ours]"""
    cursor = pager().seal(position, Page(7, offset), served, SCOPE, CALLER)["nextCursor"]
    assert pager(page_size=7).open(cursor, SCOPE, CALLER) == Page(7, offset + served, position)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": "draft"}, "version 'draft' is not spoken here"),
        ({"page_size": 0}, "page_size is 0, must be from 1 to 1000"),
        ({"page_size": 1001}, "page_size is 1001, must be from 1 to 1000"),
        ({"ttl_ms": -1}, "ttl_ms is -1, must not be negative"),
    ],
)
def test_an_option_out_of_bounds_is_the_callers_bug(options: dict[str, object], message: str) -> None:
    """[ours]"""
    with pytest.raises(ValueError, match=message):
        AdapterOptions((KEY,), **options)  # type: ignore[arg-type]
