"""Fixtures: npm's packages, and our server over SeaweedFS with the sample skills of the repository."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.local.seaweedfs import LocalServer
from tests.conformance.npm import installed_packages
from tests.serving import every_file, fill, serving
from tests.stores import fresh_bucket

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"


@pytest.fixture(scope="session")
def packages() -> Path:
    return installed_packages()


@pytest.fixture(scope="session")
def examples_url(seaweedfs_server: LocalServer) -> Iterator[str]:
    bucket = fresh_bucket("seaweedfs", seaweedfs_server)
    fill(bucket, every_file(EXAMPLES))
    # Two skills a page, so that the listing has several.
    with serving(bucket, page_size=2) as url:
        yield url
