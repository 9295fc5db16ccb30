"""The clock of the tests, which goes on when it is told to."""

import pytest

from tests.auth.identity import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()
