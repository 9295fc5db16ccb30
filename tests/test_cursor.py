"""Cursors: what is sealed comes back for the very request it was sealed for, and for no other."""

import base64

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gateway.cursor import MAX_CURSOR_CHARACTERS, CursorScope, CursorSealer, CursorState
from gateway.errors import CursorRefused, ProviderFault

A, B = b"a" * 32, b"b" * 32
SEALER = CursorSealer([A])
SCOPE = CursorScope("skills/list", (("uri", "team/a"),), ("https://issuer", "client", "someone"))
STATE = CursorState("stable", 2_000_000_000, 50, "token")
NOW = 1_900_000_000.0

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
states = st.builds(CursorState, texts, st.integers(1_900_000_001, 2**40), st.integers(0, 2**40), texts)
scopes = st.builds(
    CursorScope,
    texts,
    st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
    st.tuples(texts, texts, texts),
)


def cause_of(cursor: str, *, sealer: CursorSealer = SEALER, scope: CursorScope = SCOPE, now: float = NOW) -> str:
    """Why a cursor is refused."""
    with pytest.raises(CursorRefused) as refused:
        sealer.unseal(cursor, scope, now=now)
    assert str(refused.value) == "Invalid or expired cursor; start again without one"
    return refused.value.cause


@given(states, scopes)
def test_a_cursor_gives_back_what_was_sealed(state: CursorState, scope: CursorScope) -> None:
    """[ours]"""
    assert SEALER.unseal(SEALER.seal(state, scope), scope, now=NOW) == state


@given(states, scopes)
def test_a_cursor_is_url_safe_text_without_padding(state: CursorState, scope: CursorScope) -> None:
    """[RFC 4648 section 5]"""
    cursor = SEALER.seal(state, scope)
    assert cursor.isascii()
    assert cursor.replace("-", "").replace("_", "").isalnum()


@given(states, scopes)
def test_equal_requests_get_equal_cursors(state: CursorState, scope: CursorScope) -> None:
    """[ours] Clients cache by cursor, and replicas with one ring must agree."""
    assert SEALER.seal(state, scope) == CursorSealer([A, B]).seal(state, scope)


@given(states, states, scopes, scopes)
def test_different_requests_get_different_cursors_and_nonces(
    one: CursorState, other: CursorState, here: CursorScope, there: CursorScope
) -> None:
    """[NIST SP 800-38D section 8] A nonce that came twice for different messages would give the key away."""
    assume((one, here) != (other, there))
    first, second = SEALER.seal(one, here), SEALER.seal(other, there)
    assert first != second
    assert raw(first)[5:17] != raw(second)[5:17]


@given(st.data(), states)
def test_a_cursor_with_one_altered_character_is_refused(data: st.DataObject, state: CursorState) -> None:
    """[ours]"""
    cursor = SEALER.seal(state, SCOPE)
    index = data.draw(st.integers(0, len(cursor) - 1))
    character = data.draw(st.characters().filter(lambda drawn: drawn != cursor[index]))
    altered = cursor[:index] + character + cursor[index + 1 :]
    assert cause_of(altered) in {"unknown_key", "altered_or_foreign", "not_base64", "not_ours"}


@given(st.data(), states)
def test_a_cut_cursor_is_refused(data: st.DataObject, state: CursorState) -> None:
    """[ours]"""
    cursor = SEALER.seal(state, SCOPE)
    length = data.draw(st.integers(1, len(cursor) - 1))
    assert cause_of(cursor[:length]) in {"altered_or_foreign", "not_base64", "not_ours"}
    assert cause_of(cursor[length:]) in {"unknown_key", "not_base64", "not_ours"}


@given(states, st.text(st.characters(categories=["Lu", "Ll", "Nd", "Zs", "Pd"]), min_size=1, max_size=8))
def test_a_lengthened_cursor_is_refused(state: CursorState, more: str) -> None:
    """[ours]"""
    cursor = SEALER.seal(state, SCOPE)
    assert cause_of(cursor + more) in {"altered_or_foreign", "not_base64", "not_ours"}
    assert cause_of(more + cursor) in {"unknown_key", "not_base64", "not_ours", "altered_or_foreign"}


@pytest.mark.parametrize("position", ["", "p", "pp", "ppp"])
def test_a_cursor_has_one_spelling(position: str) -> None:
    """[ours] Padding, the other base64 alphabet, blanks, line ends, and the unused bits of the last character."""
    cursor = SEALER.seal(CursorState("", 2_000_000_000, 0, position), SCOPE)
    padding = "=" * (-len(cursor) % 4)
    spellings = {cursor + "=", cursor + "====", cursor + "\n", " " + cursor, cursor + "\x00"}
    spellings |= {cursor.replace("-", "+").replace("_", "/"), cursor + padding, cursor.swapcase(), cursor.lower()}
    spellings |= {cursor[:-1] + last for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"}
    for spelling in spellings - {cursor}:
        assert cause_of(spelling) in {"unknown_key", "altered_or_foreign", "not_base64", "not_ours"}


@given(states, scopes, scopes)
def test_a_cursor_of_another_request_is_refused(state: CursorState, scope: CursorScope, other: CursorScope) -> None:
    """[ours]"""
    assume(scope != other)
    assert cause_of(SEALER.seal(state, scope), scope=other) == "altered_or_foreign"


@pytest.mark.parametrize(
    "other",
    [
        CursorScope("resources/list", SCOPE.parameters, SCOPE.principal),
        CursorScope(SCOPE.method, (("uri", "team/b"),), SCOPE.principal),
        CursorScope(SCOPE.method, (), SCOPE.principal),
        CursorScope(SCOPE.method, SCOPE.parameters, ("https://issuer", "client", "")),
        CursorScope(SCOPE.method, SCOPE.parameters, ("https://issuer", "someone", "client")),
        CursorScope(SCOPE.method, SCOPE.parameters, ("https://issuerclient", "", "someone")),
        CursorScope(SCOPE.method, SCOPE.parameters),
    ],
)
def test_method_parameters_and_principal_are_each_bound(other: CursorScope) -> None:
    """[ours]"""
    assert cause_of(SEALER.seal(STATE, SCOPE), scope=other) == "altered_or_foreign"


def test_a_cursor_of_another_ring_is_refused() -> None:
    """[ours]"""
    assert cause_of(CursorSealer([B]).seal(STATE, SCOPE)) == "unknown_key"


def test_a_key_id_moved_onto_a_foreign_cursor_does_not_open_it() -> None:
    """[ours] The key id is bound too."""
    foreign, own = raw(CursorSealer([B]).seal(STATE, SCOPE)), raw(SEALER.seal(STATE, SCOPE))
    assert cause_of(spelled(own[:5] + foreign[5:])) == "altered_or_foreign"


def test_another_format_is_refused() -> None:
    """[ours]"""
    assert cause_of(spelled(b"\x02" + raw(SEALER.seal(STATE, SCOPE))[1:])) == "unknown_key"


def test_a_ring_rotates_without_refusing_anybody() -> None:
    """[ours] [a], then [b, a] while old cursors live, then [b]."""
    old, both, new = CursorSealer([A]), CursorSealer([B, A]), CursorSealer([B])
    before, after = old.seal(STATE, SCOPE), both.seal(STATE, SCOPE)
    assert both.unseal(before, SCOPE, now=NOW) == both.unseal(after, SCOPE, now=NOW) == STATE
    assert new.unseal(after, SCOPE, now=NOW) == STATE
    assert cause_of(before, sealer=new) == "unknown_key"
    assert cause_of(after, sealer=old) == "unknown_key"


def test_a_cursor_ends_at_its_second() -> None:
    """[ours]"""
    cursor = SEALER.seal(STATE, SCOPE)
    assert SEALER.unseal(cursor, SCOPE, now=STATE.expires_at - 0.001) == STATE
    assert cause_of(cursor, now=float(STATE.expires_at)) == "expired"


@pytest.mark.parametrize(
    ("cursor", "cause"),
    [
        ("", "empty"),
        ("A" * (MAX_CURSOR_CHARACTERS + 1), "too_long"),
        ("\ud800" * (MAX_CURSOR_CHARACTERS + 1), "too_long"),
        ("A" * MAX_CURSOR_CHARACTERS, "unknown_key"),
        ("é", "not_base64"),
        ("\ud800", "not_base64"),
        ("日本語", "not_base64"),
        ("\x00", "not_base64"),
        ("A", "not_base64"),
        ("AAAA", "not_ours"),
        ("null", "not_ours"),
        ("A" * 43, "not_ours"),
        ("A" * 44, "unknown_key"),
    ],
    ids=ascii,
)
def test_what_never_was_a_cursor_is_refused_with_its_cause(cursor: str, cause: str) -> None:
    """[ours]"""
    assert cause_of(cursor) == cause


@given(st.text())
def test_any_text_is_refused(text: str) -> None:
    """[ours] Lone surrogates among them."""
    assert cause_of(text) in {"empty", "too_long", "not_base64", "not_ours", "unknown_key"}


def test_a_cursor_that_would_not_be_taken_back_is_not_made() -> None:
    """[ours] The client would start again and again."""
    longest = CursorState("", 2_000_000_000, 0, "p" * 6000)
    assert SEALER.unseal(SEALER.seal(longest, SCOPE), SCOPE, now=NOW) == longest
    with pytest.raises(ProviderFault, match="a position of 6200 characters is too long"):
        SEALER.seal(CursorState("", 2_000_000_000, 0, "p" * 6200), SCOPE)


@pytest.mark.parametrize(
    ("keys", "message"),
    [([], "at least one key"), ([A, b"short"], "cursor key 1 has 5 bytes, needs at least 32")],
)
def test_a_ring_without_proper_keys_is_refused(keys: list[bytes], message: str) -> None:
    """[ours]"""
    with pytest.raises(ValueError, match=message):
        CursorSealer(keys)


def raw(cursor: str) -> bytes:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def spelled(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
