"""Fixtures: npm's packages, for the official TypeScript client."""

from pathlib import Path

import pytest

from tests.conformance.npm import installed_packages


@pytest.fixture(scope="session")
def packages() -> Path:
    return installed_packages()
