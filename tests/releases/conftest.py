"""Buckets of one kind of store, or of those that honour conditions."""

import pytest

from gateway.local.seaweedfs import LocalServer
from tests.stores import S3Bucket, fresh_bucket


@pytest.fixture
def moto_bucket(moto_server: LocalServer) -> S3Bucket:
    return fresh_bucket("moto", moto_server)


@pytest.fixture
def juicefs_bucket(juicefs_server: LocalServer) -> S3Bucket:
    """A bucket that writes whatever the condition."""
    return fresh_bucket("juicefs", juicefs_server)


@pytest.fixture(params=["seaweedfs", "moto"])
def conditional_bucket(request: pytest.FixtureRequest) -> S3Bucket:
    """A bucket that keeps conditions."""
    return fresh_bucket(request.param, request.getfixturevalue(f"{request.param}_server"))
