"""Which skills of a folder the official TypeScript SDK takes into its catalogue."""

import json
import os
from pathlib import Path

import pytest

from tests.conformance.npm import run_node
from tools.npm import install

_SDK = {"@modelcontextprotocol/server": "2.4.0"}
_CACHE = Path(__file__).parents[2] / ".cache" / "typescript-catalog"
_HOST = Path(__file__).with_name("typescript_catalog.mjs")
_WITHIN_S = 120


def typescript_verdict(folder: Path) -> set[str]:
    """Paths of the skills that the SDK accepts; without npm the calling test is skipped, and says so."""
    if os.environ.get("GATEWAY_SKIP_NPM") == "1":
        pytest.skip("GATEWAY_SKIP_NPM=1: the official MCP packages are not asked")
    _CACHE.mkdir(parents=True, exist_ok=True)
    (_CACHE.parent / ".gitignore").write_text("*\n")
    done = run_node((_HOST, install(_SDK, _CACHE), folder), within_s=_WITHIN_S)
    assert done.returncode == 0, done.stderr[-2000:]
    return set(json.loads(done.stdout))
