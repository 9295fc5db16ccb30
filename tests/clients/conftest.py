"""The tree in a bucket of each real store, and a server over it; once for all tests, which only read."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.clients.tree import tree
from tests.conftest import REAL_KINDS
from tests.serving import serving
from tests.stores import S3Bucket, fresh_bucket


@pytest.fixture(scope="session", params=REAL_KINDS)
def tree_bucket(request: pytest.FixtureRequest) -> Iterator[S3Bucket]:
    """Every other object with the store's checksum, the rest without."""
    bucket = fresh_bucket(request.param, request.getfixturevalue(f"{request.param}_server"))
    asyncio.run(_fill(bucket))
    yield bucket
    if request.param == "extra":
        bucket.remove()


@pytest.fixture(scope="session")
def url(tree_bucket: S3Bucket) -> Iterator[str]:
    """The endpoint of a server over the tree, three skills a page."""
    with serving(tree_bucket, page_size=3) as url:
        yield url


async def _fill(bucket: S3Bucket) -> None:
    for index, (key, data) in enumerate(tree().items()):
        await bucket.put(key, data, checksum=index % 2 == 0)
