"""Requests that come again: which are known by their bytes, and which are looked at anew."""

import json

import pytest

from gateway.web.body import Fields
from gateway.web.plain import PlainRequest
from gateway.web.repeats import Repeats

HEADERS = [(b"content-type", b"application/json"), (b"accept", b"application/json"), (b"mcp-method", b"skills/get")]
FIELDS = Fields([*HEADERS, (b"authorization", b"Bearer one")])
PLAIN = PlainRequest(1, "skills/get", "skill://a/SKILL.md", True)


def body(number: int | str, *, last: bool = False, blank: str = "", more: str = "") -> bytes:
    rest = f'"method":"skills/get","params":{{"uri":"skill://a/SKILL.md"{more}}}'
    envelope = f'"jsonrpc":{blank}"2.0",{blank}"id":{blank}{number}'
    return (f"{{{rest},{envelope}}}" if last else f"{{{envelope},{rest}}}").encode()


def known(data: bytes, fields: Fields = FIELDS, *, learned: bytes | None = None, by: Fields = FIELDS) -> object:
    """What is found after one request was learned: the same one, if no other."""
    repeats = Repeats()
    repeats.learn(by, data if learned is None else learned, PLAIN)
    return repeats.find(fields, data)


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("blank", ["", " "])
def test_a_request_with_another_id_is_known_as_that(last: bool, blank: str) -> None:
    """[ours] Whichever way an SDK spells it, and whoever sends it."""
    learned = body(1, last=last, blank=blank)
    assert json.loads(learned)["id"] == 1
    other = Fields([*HEADERS, (b"authorization", b"Bearer two"), (b"x-request-id", b"7")])
    for number in (0, 2, 10**15 - 1):
        data = body(number, last=last, blank=blank)
        assert known(data, other, learned=learned) == PLAIN._replace(id=number)


@pytest.mark.parametrize("number", ["01", "-1", "1.0", "1e3", str(10**15), '"1"', "null", "true", "  1", "1 "])
def test_other_ids_are_for_the_parser(number: str) -> None:
    """[JSON-RPC 2.0 section 4: id]"""
    assert known(body(number), learned=body(1)) is None
    assert known(body(number)) is None


@pytest.mark.parametrize(
    "more",
    [
        ',"id":9',
        ',"\\u0069d":9',
        ',"x":"a\\u0062"',
        ',"x":"' + "y" * 2048 + '"',
    ],
)
def test_a_body_in_which_the_id_may_be_another_or_that_is_long_is_not_remembered(more: str) -> None:
    """[RFC 8259 section 4: names that come twice]"""
    assert known(body(1, more=more)) is None


@pytest.mark.parametrize(
    "changed",
    [
        body(1).replace(b"a/SKILL", b"b/SKILL"),
        body(1).replace(b"2.0", b"1.0"),
        body(1) + b" ",
        b" " + body(1),
        body(1)[:-1],
        body(1, last=True),
        body(1, blank=" "),
        b"",
    ],
)
def test_another_body_is_another_request(changed: bytes) -> None:
    """[ours]"""
    assert known(body(1)) == PLAIN
    assert known(changed, learned=body(1)) is None


@pytest.mark.parametrize(
    "headers",
    [
        HEADERS[1:],
        [*HEADERS[:2], (b"mcp-method", b"skills/list")],
        [*HEADERS, (b"mcp-session-id", b"1")],
        [*HEADERS, (b"mcp-name", b"skill://a/SKILL.md")],
        [*HEADERS, (b"mcp-protocol-version", b"2026-07-28")],
        [*HEADERS, (b"accept", b"application/json")],
    ],
)
def test_other_fields_make_it_another_request(headers: list[tuple[bytes, bytes]]) -> None:
    """[ours] One that comes twice, whichever it is, too."""
    assert known(body(1), Fields(headers), learned=body(1)) is None
    is_once = len({name for name, _ in headers}) == len(headers)
    assert known(body(1), Fields(headers), by=Fields(headers)) == (PLAIN if is_once else None)


def test_what_is_remembered_has_an_end() -> None:
    """[ours]"""
    repeats = Repeats()
    first = body(1, more=',"x":0')
    for number in range(1025):
        assert number < 1024 or repeats.find(FIELDS, first) is not None
        repeats.learn(FIELDS, body(1, more=f',"x":{number}'), PLAIN)
    assert repeats.find(FIELDS, first) is None
    assert repeats.find(FIELDS, body(1, more=',"x":1024')) is not None
    huge = Fields([*HEADERS, (b"mcp-name", b"x" * 2049)])
    assert known(body(1), huge, by=huge) is None
