"""Fixtures: each real S3 server once for all tests, and a fresh bucket in each of them for one test.

`bucket` runs a test on every store: in memory, SeaweedFS, JuiceFS's gateway, moto, and whatever
`GATEWAY_TEST_S3=http://...` names, with `GATEWAY_TEST_S3_KEY` and `GATEWAY_TEST_S3_SECRET`. A server that
does not start fails its tests: a store that nobody tested is not one that works.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.local.seaweedfs import LocalServer, seaweedfs
from tests.stores import Bucket, MemoryBucket, S3Bucket, fresh_bucket, juicefs, moto

EXTRA_SERVER = "GATEWAY_TEST_S3"
REAL_KINDS = ("seaweedfs", "juicefs", "moto", *(["extra"] if EXTRA_SERVER in os.environ else []))

for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]
# No test may find credentials of the person who runs it, nor wait for a metadata service.
os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"


@pytest.fixture(scope="session")
def seaweedfs_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with seaweedfs(tmp_path_factory.mktemp("seaweedfs")) as server:
        yield server


@pytest.fixture(scope="session")
def juicefs_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with juicefs(tmp_path_factory.mktemp("juicefs")) as server:
        yield server


@pytest.fixture(scope="session")
def moto_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with moto(tmp_path_factory.mktemp("moto")) as server:
        yield server


@pytest.fixture(scope="session")
def extra_server() -> LocalServer:
    environ = os.environ
    return LocalServer(
        environ[EXTRA_SERVER],
        environ.get("GATEWAY_TEST_S3_KEY", ""),
        environ.get("GATEWAY_TEST_S3_SECRET", ""),
        Path(os.devnull),
    )


@pytest.fixture(params=REAL_KINDS)
def s3_bucket(request: pytest.FixtureRequest) -> Iterator[S3Bucket]:
    """A fresh bucket, once in every real server."""
    yield from _bucket_of(request)


@pytest.fixture(params=["memory", *REAL_KINDS])
def bucket(request: pytest.FixtureRequest) -> Iterator[Bucket]:
    """A fresh bucket, once in every store there is."""
    if request.param == "memory":
        yield MemoryBucket()
    else:
        yield from _bucket_of(request)


def _bucket_of(request: pytest.FixtureRequest) -> Iterator[S3Bucket]:
    made = fresh_bucket(request.param, request.getfixturevalue(f"{request.param}_server"))
    yield made
    if request.param == "extra":
        made.remove()
