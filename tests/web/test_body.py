"""A body that was read whole: given once as one message, parsed once, and what comes after it."""

import pytest
from starlette.types import Message

from gateway.web.body import UNREAD, Body, Fields


async def gone() -> Message:
    return {"type": "http.disconnect"}


async def test_a_body_is_given_once_and_then_what_really_comes() -> None:
    """[ASGI, HTTP connection scope]"""
    body = Body(b"{}", gone, Fields([]))
    assert await body() == {"type": "http.request", "body": b"{}", "more_body": False}
    assert [await body(), await body()] == [{"type": "http.disconnect"}] * 2


async def test_looking_at_a_body_takes_nothing_away() -> None:
    """[ours]"""
    body = Body(b'{"a":1}', gone, Fields([]))
    assert body.decoded == {"a": 1}
    assert body.decoded is body.decoded
    assert (await body())["body"] == b'{"a":1}'


@pytest.mark.parametrize(
    "data", [b"", b"x", b"NaN", b'"\\ud800"', b"\xef\xbb\xbf{}", "{}".encode("utf-16"), b"[" * 2000]
)
def test_json_that_parsers_do_not_agree_about_is_unread(data: bytes) -> None:
    """[ours]"""
    assert Body(data, gone, Fields([])).decoded is UNREAD
