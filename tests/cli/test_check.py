"""`skills-gateway check`."""

import asyncio
import json
from pathlib import Path

import pytest

from gateway.cli.demo import sample_skills
from gateway.cli.upload import plan_upload, upload
from tests.cli.conftest import Run
from tests.stores import S3Bucket

GOOD = "---\nname: good\ndescription: Does good.\n---\nDo good.\n"


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


def test_the_sample_skills_are_all_served(run: Run) -> None:
    """[ours] Three to five, one nested under an organisation, one with a binary file."""
    result = run("check", sample_skills(), "--allow-binary")
    assert result.exit_code == 0
    assert [line.rpartition(" files, ")[0] for line in result.stdout.splitlines()] == [
        "served   acme/billing/refunds  (3",
        "served   chart-style  (3",
        "served   csv-profile  (2",
        "served   incident-timeline  (2",
        "served   release-notes  (1",
    ]
    assert result.stderr.endswith("5 served, 0 refused\n")


def test_a_refused_skill_is_named_with_its_reason_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    """[ours] No skill is dropped in silence."""
    write(tmp_path, "good/SKILL.md", GOOD)
    write(tmp_path, "team/other/SKILL.md", GOOD)
    result = run("check", tmp_path)
    assert result.exit_code == 1
    served, refused = result.stdout.splitlines()
    assert served == f"served   good  (1 files, {len(GOOD)} bytes)"
    assert refused.startswith("refused  team/other")
    assert result.stderr.endswith("1 served, 1 refused\n")


def test_binary_files_are_refused_unless_they_are_allowed(run: Run) -> None:
    """[SEP-2640] Binary files are refused unless the source says otherwise."""
    result = run("check", sample_skills())
    assert result.exit_code == 1
    assert "refused  chart-style: assets/palette.png is binary" in result.stdout


def test_json_is_one_document(run: Run, tmp_path: Path) -> None:
    """[ours] Its keys are what scripts rely on."""
    write(tmp_path, "good/SKILL.md", GOOD)
    write(tmp_path, "bad/SKILL.md", "no frontmatter\n")
    document = json.loads(run("check", tmp_path, "--json").stdout)
    assert list(document) == ["target", "served", "remarks", "refused"]
    assert document["target"] == str(tmp_path)
    assert document["served"] == [{"path": "good", "files": 1, "size": len(GOOD)}]
    assert [sorted(problem) for problem in document["refused"]] == [["code", "column", "detail", "line", "where"]]
    assert document["refused"][0]["where"] == "bad"


def test_a_symbolic_link_is_named(run: Run, tmp_path: Path) -> None:
    """[ours] It may lead out of the folder, so it is not followed."""
    write(tmp_path, "good/SKILL.md", GOOD)
    (tmp_path / "good" / "hosts").symlink_to("/etc/hosts")
    result = run("check", tmp_path)
    assert result.exit_code == 1
    assert "refused  good/hosts: a symbolic link is not followed" in result.stdout


def test_a_target_that_is_not_there_is_exit_code_1(run: Run) -> None:
    """[ours]"""
    result = run("check", "nowhere")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: nowhere is no folder; name one, or s3://bucket/prefix\n"


def test_a_place_without_any_skill_is_exit_code_1(run: Run, tmp_path: Path) -> None:
    """[ours] A mistyped prefix must not be green."""
    write(tmp_path, "notes/README.md", "no skill\n")
    result = run("check", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is no SKILL.md below" in result.stderr


def test_a_target_without_a_bucket_is_named_as_it_was_written(run: Run) -> None:
    """[ours]"""
    for target in ("s3://", "s3://bucket//x"):
        result = run("check", target)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"{target} names no bucket and prefix" in result.stderr


def test_settings_hold_here_too(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] The verdict is the gateway's."""
    write(tmp_path, "good/SKILL.md", GOOD)
    write(tmp_path, "good/a.md", "a")
    monkeypatch.setenv("GATEWAY_MAX_SKILL_KEYS", "1")
    result = run("check", tmp_path)
    assert result.exit_code == 1
    assert "has more than 1 files" in result.stdout


async def test_a_bucket_gets_the_verdict_of_the_folder_it_was_filled_from(
    s3_bucket: S3Bucket, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours] Every real store; the command has a loop of its own, so it runs in a thread."""
    async with s3_bucket.open() as store:
        await upload(plan_upload(sample_skills()), store, lambda one: None)
    options = s3_bucket.options
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", options.access_key or "")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", options.secret_key or "")
    arguments = ("--allow-binary", "--endpoint-url", options.endpoint_url, "--region", "us-east-1")
    of_bucket = await asyncio.to_thread(run, "check", f"s3://{s3_bucket.name}", *arguments)
    of_folder = await asyncio.to_thread(run, "check", sample_skills(), "--allow-binary")
    assert of_bucket.exit_code == 0
    assert sorted(of_bucket.stdout.splitlines()) == of_folder.stdout.splitlines()


def test_a_store_that_is_down_is_one_line_and_exit_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours]"""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    result = run("check", "s3://skills/team", "--endpoint-url", "http://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ListObjectsV2 in bucket 'skills' at http://127.0.0.1:1")
