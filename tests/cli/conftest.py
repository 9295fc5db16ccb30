"""The command line: in process for what ends by itself, as a process of its own for what serves."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import CliRunner, Result

from gateway.cli.main import app

Run: TypeAlias = Callable[..., Result]
Start: TypeAlias = "Callable[..., AbstractContextManager[subprocess.Popen[str]]]"


@pytest.fixture(autouse=True)
def _nothing_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GATEWAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run() -> Run:
    """Run the command line in this process: `run("check", "folder").stdout`."""
    return lambda *arguments: CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def start() -> Start:
    """Start the command line as a process; it is terminated with the block when it still runs."""

    @contextmanager
    def started(*arguments: object, env: Mapping[str, str] | None = None) -> "Iterator[subprocess.Popen[str]]":
        with subprocess.Popen(
            [sys.executable, "-c", "from gateway.cli.main import main; main()", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.communicate(timeout=30)

    return started
