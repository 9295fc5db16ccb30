"""What is tried again, how often, and how long it is waited for."""

from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import ObjectChanged, ObjectMissing, ObjectTooLarge, StoreThrottled, StoreUnavailable
from gateway.objects import ByteRange, ObjectHead, ObjectKey, ObjectSlice
from gateway.s3 import open_store
from gateway.s3.bodies import BodyBroken
from gateway.s3.retries import FIRST_WAIT_S, LONGEST_WAIT_S, wait_s, whole_or_again
from tests.s3.wire import answering, error, response

KEY = ObjectKey("k")
WHOLE = response("200 OK", b"complete", ETag='"e"')
HALF = response("200 OK", b"half", Content_Length="8", ETag='"e"')
NOTHING = response("200 OK", b"", Content_Length="8", ETag='"e"')
SLOW_DOWN = error("503 Slow Down", "SlowDown")
COMPLETE = ObjectSlice(b"complete", ObjectHead(8, "e"))


def failing(*outcomes: Exception | str) -> tuple[Callable[[], Awaitable[str]], list[Exception | str]]:
    """A read that ends as told, time after time, and what is left of it."""
    left = list(outcomes)

    async def read() -> str:
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return read, left


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_a_wait_is_a_random_part_of_a_bound_that_doubles(attempts: int, draw: float) -> None:
    """[AWS: full jitter]"""
    assert 0 <= wait_s(attempts, draw) < LONGEST_WAIT_S
    assert wait_s(attempts, 0) == 0
    assert wait_s(attempts + 1, draw) == min(2 * wait_s(attempts, draw), draw * LONGEST_WAIT_S)
    assert wait_s(1, 1) == FIRST_WAIT_S


async def test_a_read_is_called_again_while_its_body_breaks() -> None:
    """[ours]"""
    read, left = failing(BodyBroken("1"), BodyBroken("2"), "whole", "never asked for")
    assert await whole_or_again(read, 3, lambda: 0.0) == "whole"
    assert left == ["never asked for"]


@pytest.mark.parametrize(("attempts", "reads"), [([1, 1, 1], 3), ([2, 1], 2), ([3], 1), ([1, 2], 2)])
async def test_the_requests_that_an_answer_took_count_as_attempts(attempts: list[int], reads: int) -> None:
    """[botocore RetryAttempts]"""
    read, left = failing(*(BodyBroken("no", count) for count in attempts), "too late")
    with pytest.raises(BodyBroken):
        await whole_or_again(read, 3, lambda: 0.0)
    assert len(attempts) + 1 - len(left) == reads


@pytest.mark.parametrize("final", [ObjectMissing, ObjectChanged, ObjectTooLarge, StoreUnavailable, StoreThrottled])
async def test_what_the_store_said_is_final(final: type[Exception]) -> None:
    """[ours: botocore has tried it as often as it may]"""
    read, left = failing(final("no"), "never asked for")
    with pytest.raises(final):
        await whole_or_again(read, 3, lambda: 0.0)
    assert left == ["never asked for"]


async def test_a_store_that_is_busy_twice_and_then_serves_is_read() -> None:
    """[S3 SlowDown] [botocore retries, standard mode]"""
    async with answering(SLOW_DOWN, SLOW_DOWN, WHOLE) as wire, open_store(wire.options(max_attempts=3)) as store:
        assert await store.get(KEY, max_bytes=8) == COMPLETE
        assert len(wire.requests) == 3


@pytest.mark.parametrize("broken", [HALF, NOTHING])
async def test_a_body_that_breaks_once_is_read_again(broken: bytes) -> None:
    """[aiohttp ClientPayloadError]"""
    async with answering(broken, WHOLE) as wire, open_store(wire.options(max_attempts=2)) as store:
        assert await store.get(KEY, max_bytes=8) == COMPLETE
    async with answering(broken, WHOLE) as wire, open_store(wire.options(max_attempts=2)) as store:
        assert await store.get_range(KEY, ByteRange(0, 8), if_match="e") == COMPLETE
        assert ['if-match: "e"' in request.lower() for request in wire.requests] == [True, True]


async def test_a_body_that_stalls_is_read_again_within_the_deadline_of_the_call() -> None:
    """[aiohttp SocketTimeoutError]"""
    bounds = {"max_attempts": 10, "read_timeout_s": 0.1, "call_timeout_s": 1.0}
    async with answering(HALF, then_stall=True) as wire, open_store(wire.options(**bounds)) as store:
        with pytest.raises(StoreUnavailable, match="within 1 s"):
            await store.get(KEY, max_bytes=8)
        assert 2 <= len(wire.requests) < 10


async def test_a_body_that_breaks_every_time_is_final_after_the_attempts_allowed() -> None:
    """[ours]"""
    async with answering(HALF) as wire, open_store(wire.options(max_attempts=3)) as store:
        with pytest.raises(StoreUnavailable, match="ended early"):
            await store.get(KEY, max_bytes=8)
        assert len(wire.requests) == 3


async def test_attempts_for_the_headers_count_when_a_body_breaks() -> None:
    """[botocore RetryAttempts]"""
    async with answering(SLOW_DOWN, HALF, WHOLE) as wire, open_store(wire.options(max_attempts=2)) as store:
        with pytest.raises(StoreUnavailable):
            await store.get(KEY, max_bytes=8)
        assert len(wire.requests) == 2


async def test_a_stream_is_begun_again_only_while_its_sink_got_nothing() -> None:
    """[ours: what a sink got cannot be taken back]"""
    got = bytearray()
    async with answering(NOTHING, WHOLE) as wire, open_store(wire.options(max_attempts=3)) as store:
        assert await store.stream(KEY, got.extend) == ObjectHead(8, "e")
        assert (got, len(wire.requests)) == (b"complete", 2)
    got.clear()
    async with answering(HALF, WHOLE) as wire, open_store(wire.options(max_attempts=3)) as store:
        with pytest.raises(StoreUnavailable):
            await store.stream(KEY, got.extend)
        assert (got, len(wire.requests)) == (b"half", 1)


async def test_an_object_too_large_or_gone_is_asked_for_once() -> None:
    """[ours]"""
    for answer, kind in ((WHOLE, ObjectTooLarge), (error("404 Not Found", "NoSuchKey"), ObjectMissing)):
        async with answering(answer) as wire, open_store(wire.options(max_attempts=3)) as store:
            with pytest.raises(kind):
                await store.get(KEY, max_bytes=7)
            assert len(wire.requests) == 1
