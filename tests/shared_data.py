"""Where data lies that tests read and the repository does not hold.

`../shared` next to the checkout, or the folder `GATEWAY_SHARED` names. A test whose data is absent is
skipped and says so; with `GATEWAY_REQUIRE_SHARED=1` it fails, so that nobody mistakes one for a pass.
"""

import os
from pathlib import Path

import pytest


def shared(path: str) -> Path:
    """The file or folder `path` of the shared data; skips or fails the calling test when it is absent."""
    root = Path(os.environ.get("GATEWAY_SHARED") or Path(__file__).parents[2] / "shared")
    found = root / path
    if found.exists():
        return found
    reason = f"no {path} in the shared data; set GATEWAY_SHARED to the folder that has it"
    if os.environ.get("GATEWAY_REQUIRE_SHARED") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
