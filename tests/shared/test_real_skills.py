"""255 skills as five organisations publish them, in a real store, before every host there is."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.skills import SkillsClientExtension

from tests.conformance.typescript import seen_by_typescript, to_be_seen
from tests.shared.clipped import ends_in_clipped_block
from tests.shared.strict_host import Verdict, strict_verdicts
from tests.stores import S3Bucket

SERVED, REFUSED = 252, 3
_WITHIN_S = 120


@pytest.fixture(scope="module")
def checked(real_bucket: S3Bucket) -> dict[str, list[dict[str, str]]]:
    """What `skills-gateway check s3://...` says of the bucket, as a person would run it."""
    options = real_bucket.options
    assert options is not None
    command = [sys.executable, "-c", "from gateway.cli.main import main; main()", "check", f"s3://{options.bucket}"]
    flags = ["--endpoint-url", str(options.endpoint_url), "--region", "us-east-1", "--allow-binary", "--json"]
    keys = {"AWS_ACCESS_KEY_ID": str(options.access_key), "AWS_SECRET_ACCESS_KEY": str(options.secret_key)}
    env = {**os.environ, **keys, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([*command, *flags], env=env, capture_output=True, encoding="utf-8", timeout=_WITHIN_S)
    assert done.returncode == 1, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def refused(checked: dict[str, list[dict[str, str]]]) -> frozenset[str]:
    return frozenset(problem["where"] for problem in checked["refused"])


def test_check_names_each_skill_that_breaks_the_format(
    real_skills: Path, checked: dict[str, list[dict[str, str]]], refused: frozenset[str]
) -> None:
    """[agentskills.io: metadata maps texts to texts] The others are served, each of them."""
    there = {file.parent.relative_to(real_skills).as_posix() for file in real_skills.rglob("SKILL.md")}
    assert [problem["code"] for problem in checked["refused"]] == ["metadata_not_text"] * REFUSED
    assert {skill["path"] for skill in checked["served"]} == there - refused
    assert len(checked["served"]) == SERVED


def test_the_strict_host_finds_no_broken_rule_in_either_era(
    real_skills: Path, real_url: str, refused: frozenset[str], tmp_path: Path
) -> None:
    """[SEP-2640] [issue: 0 MUST and 0 HARD]"""
    there = Verdict(SERVED, to_be_seen(real_skills, refused=refused).files)
    assert strict_verdicts(real_url, tmp_path / "report.json") == {"modern": there, "legacy": there}


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_the_typescript_client_reads_every_file_verified(
    packages: Path, real_skills: Path, real_url: str, refused: frozenset[str], revision: str
) -> None:
    """[SEP-2640]"""
    there = to_be_seen(real_skills, refused=refused)
    assert seen_by_typescript(packages, real_url, revision) == replace(there, revision=revision)


async def test_fastmcps_client_refuses_only_what_its_lost_newline_changes(
    real_skills: Path, real_url: str, refused: frozenset[str]
) -> None:
    """[SEP-2640] FastMCP 4.2 drops the last newline of a frontmatter before it parses."""
    verified: set[str] = set()
    not_accepted: dict[str, str] = {}
    async with Client(StreamableHttpTransport(real_url), extensions=[SkillsClientExtension()]) as client:
        for entry in await client.list_skills(cache_mode="bypass"):
            path = entry.uri.removeprefix("skill://").removesuffix("/SKILL.md")
            try:
                await client.read_skill(entry.uri)
                verified.add(path)
            except ValueError as error:
                not_accepted[path] = str(error)
    clipped = {path for path in not_accepted if ends_in_clipped_block(_text(real_skills, path))}
    assert not_accepted.keys() - clipped == set()
    assert len(verified) + len(not_accepted) == SERVED
    assert len(verified) > len(not_accepted)


def _text(folder: Path, path: str) -> str:
    return (folder / path / "SKILL.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("frontmatter", "clipped"),
    [
        ("name: a\ndescription: >\n  one\n\n  two\n", True),
        ("name: a\nmetadata:\n  note: |2\n      x\n", True),
        ("description: |\n  one\nname: a\n", False),
        ("name: a\ndescription: |-\n  one\n", False),
        ("name: a\ndescription: a > b\n", False),
    ],
)
def test_a_clipped_block_scalar_at_the_end_is_told_by_the_text(frontmatter: str, clipped: bool) -> None:
    """[YAML 1.2.2 section 8.1.1.2]"""
    assert ends_in_clipped_block(f"---\n{frontmatter}---\nbody: >\n") is clipped
