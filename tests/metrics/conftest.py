"""A port that nobody listens on, and a bucket."""

import pytest

from gateway.local.process import free_ports
from gateway.local.seaweedfs import LocalServer
from tests.stores import S3Bucket, fresh_bucket


@pytest.fixture
def free_port() -> int:
    return free_ports(1)[0]


@pytest.fixture
def unused_port() -> int:
    """Another one."""
    return free_ports(1)[0]


@pytest.fixture(params=["seaweedfs", "moto"])
def conditional_bucket(request: pytest.FixtureRequest) -> S3Bucket:
    """A bucket that keeps conditions, as moving a channel asks for."""
    return fresh_bucket(request.param, request.getfixturevalue(f"{request.param}_server"))


@pytest.fixture
def moto_bucket(moto_server: LocalServer) -> S3Bucket:
    return fresh_bucket("moto", moto_server)
