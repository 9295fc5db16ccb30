"""The clock of the tests, which goes on when it is told to, and a provider that people log in at."""

from collections.abc import Iterator

import pytest

from tests.auth.identity import Clock, jwk_of, key_of
from tests.web.login.provider import LoginProvider


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def idp() -> Iterator[LoginProvider]:
    provider = LoginProvider()
    provider.start()
    provider.publish(jwk_of(key_of("rsa"), "k1", use="sig", alg="RS256"))
    provider.describe()
    yield provider
    provider.stop()
