"""Two ways, one answer: what the lane says is what the SDK says, and what it does not know it does not touch."""

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
