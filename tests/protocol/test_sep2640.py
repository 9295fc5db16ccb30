"""The table of SEP-2640's rules names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"\| [^|]+ \| [^|]+ \| `(?P<file>tests/[\w/]+\.py)::(?P<test>test_\w+)` \|")
ROWS = [
    line
    for line in (Path(__file__).parent / "SEP2640.md").read_text().splitlines()[8:]
    if line.startswith("|") and not line.startswith("| ---")
]


def test_the_table_is_not_empty() -> None:
    """[STYLE: each MUST of SEP-2640 is a row]"""
    assert len(ROWS) >= 30


@pytest.mark.parametrize("row", ROWS)
def test_a_row_names_a_test_that_exists(row: str) -> None:
    """[STYLE: each MUST of SEP-2640 is a row]"""
    found = ROW.fullmatch(row)
    assert found, f"not a row of the table: {row}"
    source = (ROOT / found["file"]).read_text()
    assert re.search(rf"^(async )?def {found['test']}\(", source, re.MULTILINE)
