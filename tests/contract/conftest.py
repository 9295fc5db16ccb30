"""Every test that names an `era` runs in both."""

import pytest

from tests.protocol.host import ERAS, Era


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return request.param
