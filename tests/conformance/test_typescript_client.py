"""The official TypeScript client against our server over a real store that has `examples/skills`."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conformance.conftest import EXAMPLES
from tests.conformance.typescript import Seen, seen_by_typescript, to_be_seen


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_the_typescript_client_reads_every_file_verified(packages: Path, examples_url: str, revision: str) -> None:
    """[SEP-2640]"""
    assert seen_by_typescript(packages, examples_url, revision) == replace(to_be_seen(EXAMPLES), revision=revision)


def test_what_is_to_be_seen_is_counted_from_the_files(tmp_path: Path) -> None:
    """[ours] An inner skill's file counts for both, a hidden one for none, a refused skill not at all."""
    for path in ("a/SKILL.md", "a/.hidden", "a/b/SKILL.md", "a/b/c/d.txt", "bad/SKILL.md"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("12345")
    seen = to_be_seen(tmp_path, refused=frozenset({"bad"}))
    assert seen == Seen("", skills=2, files=5, verified=5, bytes=25, directories=5)
