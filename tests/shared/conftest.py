"""Fixtures: the trees of the shared data, and buckets of real stores that hold them.

Everything waits for `tests.shared_data.shared`: without the data these tests are skipped, or fail when
the data is required.
"""

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.local.seaweedfs import LocalServer
from tests.conformance.npm import installed_packages
from tests.serving import every_file, fill, serving
from tests.shared_data import shared
from tests.stores import S3Bucket, fresh_bucket


@pytest.fixture(scope="session")
def packages() -> Path:
    return installed_packages()


@pytest.fixture(scope="session")
def real_skills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the skills that five organisations publish."""
    folder = tmp_path_factory.mktemp("real-skills")
    with tarfile.open(shared("corpus/skills.tar.gz")) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def real_bucket(real_skills: Path, seaweedfs_server: LocalServer) -> S3Bucket:
    bucket = fresh_bucket("seaweedfs", seaweedfs_server)
    fill(bucket, every_file(real_skills))
    return bucket


@pytest.fixture(scope="session")
def real_url(real_bucket: S3Bucket) -> Iterator[str]:
    with serving(real_bucket) as url:
        yield url


@pytest.fixture(scope="session")
def hard_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of awkward but valid skills: odd names and bytes, YAML dialects, nesting, many pages."""
    folder = tmp_path_factory.mktemp("hard") / "tree"
    options = ["--hard", "--yaml12", "--nested", "--org", "--extra", "120"]
    subprocess.run([sys.executable, str(shared("harness/make_tree.py")), str(folder), *options], check=True)
    return folder


@pytest.fixture(scope="session", params=["seaweedfs", "juicefs", "moto"])
def hard_bucket(hard_tree: Path, request: pytest.FixtureRequest) -> S3Bucket:
    """The hard tree whole, once in each store: a key that a store refused would be an error here."""
    bucket = fresh_bucket(request.param, request.getfixturevalue(f"{request.param}_server"))
    fill(bucket, every_file(hard_tree))
    return bucket
