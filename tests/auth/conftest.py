"""An identity provider that publishes one RSA key, `k1`."""

from collections.abc import Iterator

import pytest

from tests.auth.identity import Clock, IdentityProvider, jwk_of, key_of


@pytest.fixture
def idp() -> Iterator[IdentityProvider]:
    provider = IdentityProvider()
    provider.start()
    provider.publish(jwk_of(key_of("rsa"), "k1", use="sig", alg="RS256"))
    yield provider
    provider.stop()


@pytest.fixture
def clock() -> Clock:
    return Clock()
