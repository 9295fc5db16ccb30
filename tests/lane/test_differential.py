"""Two ways, one answer: what the lane says is what the SDK says, and what it does not know it does not touch."""

import json
import re

import pytest

from tests.lane.apps import app_over, registered, started
from tests.lane.corpus import corpus
from tests.lane.requests import Case

CASES = list(corpus())


@pytest.mark.parametrize("case", CASES, ids=[f"{number}-{case.name}" for number, case in enumerate(CASES)])
async def test_a_request_gets_the_same_answer_with_the_lane_and_without(case: Case) -> None:
    """[ours] The same status, content type and JSON; the first time, and when everything is in memory."""
    provider = registered()
    async with started(app_over(provider, has_lane=False)) as bare, started(app_over(provider, has_lane=True)) as laned:
        expected = await bare.post(case.body, case.headers)
        assert await laned.post(case.body, case.headers) == expected
        before = laned.hits
        assert await laned.post(case.body, case.headers) == expected
        assert (laned.hits - before == 1) is case.is_plain


async def test_requests_that_come_again_under_other_ids_get_the_same_answers_too() -> None:
    """[ours] All requests through one process, twice, each time with an id of its own, as SDKs spell them."""
    provider = registered()
    async with started(app_over(provider, has_lane=False)) as bare, started(app_over(provider, has_lane=True)) as laned:
        for number, case in enumerate((*CASES, *CASES)):
            as_is = _numbered(case.body, number)
            for body in {as_is, _id_last(case.body, number)}:
                expected = await bare.post(body, case.headers)
                before = laned.hits
                assert await laned.post(body, case.headers) == expected, case.name
                assert body != as_is or case.is_plain or laned.hits == before, case.name
        assert laned.hits > sum(case.is_plain for case in CASES)


def _numbered(body: bytes, number: int) -> bytes:
    """With another id, where it has one that is a number and spelled plainly."""
    return re.sub(rb'"id": 1\b', b'"id": %d' % number, body, count=1)


def _id_last(body: bytes, number: int) -> bytes:
    """The fields in the order of the TypeScript SDK, without blanks, when it is a request with a number for an id."""
    try:
        message = json.loads(body)
    except ValueError:
        return _numbered(body, number)
    if not isinstance(message, dict) or message.get("id") != 1 or type(message["id"]) is not int:
        return _numbered(body, number)
    first = {key: value for key, value in message.items() if key not in ("jsonrpc", "id")}
    last = {"jsonrpc": message["jsonrpc"]} if "jsonrpc" in message else {}
    return json.dumps(first | last | {"id": number}, separators=(",", ":")).encode()
