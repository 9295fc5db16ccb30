"""Awkward but valid skills, whole in each real store: none of the three refuses a key of them at upload."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conformance.typescript import seen_by_typescript, to_be_seen
from tests.serving import every_file, fill, serving
from tests.shared.strict_host import Verdict, strict_verdicts
from tests.stores import MemoryBucket, S3Bucket

# YAML that hosts refuse, or read as something that JSON has not: anchors, tags, an infinity, a key twice or no text,
# an integer beyond 2^53.
REFUSED = frozenset(
    {"yaml-alias", "yaml-big", "yaml-dup", "yaml-inf", "yaml-intkey", "yaml-tag", "yaml-tilde-key"},
)

Entry = dict[str, Any]


def test_the_strict_host_finds_no_broken_rule_in_either_era(
    hard_tree: Path, hard_bucket: S3Bucket, tmp_path: Path
) -> None:
    """[SEP-2640] [issue: 0 MUST and 0 HARD] It reads every byte, and nothing that is hidden."""
    seen = to_be_seen(hard_tree, refused=REFUSED)
    with serving(hard_bucket) as url:
        verdicts = strict_verdicts(url, tmp_path / "report.json")
    assert verdicts == dict.fromkeys(("modern", "legacy"), Verdict(seen.skills, seen.files))


@pytest.mark.parametrize("hard_bucket", ["juicefs"], indirect=True)
def test_the_typescript_client_reads_every_file_verified(
    packages: Path, hard_tree: Path, hard_bucket: S3Bucket
) -> None:
    """[SEP-2640] From the store without checksums, whose digests the gateway computes."""
    with serving(hard_bucket) as url:
        seen = seen_by_typescript(packages, url, "2026-07-28")
    assert seen == replace(to_be_seen(hard_tree, refused=REFUSED), revision="2026-07-28")


@pytest.fixture(scope="module")
def entries(hard_tree: Path) -> list[Entry]:
    """Every entry of the tree, as the store in memory gives it."""
    bucket = MemoryBucket()
    fill(bucket, every_file(hard_tree))
    with serving(bucket, page_size=1000) as url:
        found = all_of(pages(url))
    assert len(found) == to_be_seen(hard_tree, refused=REFUSED).skills
    return found


@pytest.mark.parametrize("page_size", [1, 7, 50, 1000])
def test_every_store_gives_the_same_entries_at_any_page_size(
    entries: list[Entry], hard_bucket: S3Bucket, page_size: int
) -> None:
    """[SEP-2640 list] Each entry once and whole; the order is the store's own."""
    with serving(hard_bucket, page_size=page_size) as url:
        found = list(pages(url))
    assert all_of(found) == entries
    assert max(map(len, found)) <= page_size


def pages(url: str) -> Iterator[list[Entry]]:
    """Every page of skills/list, as JSON."""
    params: dict[str, str] | None = {}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    with httpx.Client(headers=headers, timeout=60) as client:
        while params is not None:
            call = {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": params}
            result = client.post(url, json=call).json()["result"]
            yield result["skills"]
            params = {"cursor": result["nextCursor"]} if "nextCursor" in result else None


def all_of(found: Iterable[list[Entry]]) -> list[Entry]:
    """The entries of all pages with their files, in one order, whatever the order of the store."""
    entries = [entry | {"resources": sorted(entry["resources"], key=_uri)} for page in found for entry in page]
    return sorted(entries, key=_uri)


def _uri(item: Entry) -> str:
    return item["uri"]
