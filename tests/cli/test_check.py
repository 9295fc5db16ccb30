"""`skills-gateway check`."""

import asyncio
import json
import shutil
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
    assert result.stderr.endswith("5 served, 0 refused; 0 errors, 0 warnings\n")


def test_a_refused_skill_is_named_once_with_its_reason_and_exit_code_1(
    run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours] No skill is dropped in silence."""
    write(tmp_path, "good/SKILL.md", GOOD)
    write(tmp_path, "team/other/SKILL.md", GOOD)
    result = run("check", tmp_path)
    assert result.exit_code == 1
    served, refused = result.stdout.splitlines()
    assert served == f"served   good  (1 files, {len(GOOD)} bytes)"
    said = "'name' is 'good' in a directory 'other'; rename one of them [name_mismatch]"
    assert refused == f"team/other/SKILL.md:2:1: error: {said}"
    assert result.stderr == "1 served, 1 refused; 1 errors, 0 warnings\n"
    assert caplog.records == []  # once is enough


def test_binary_files_are_refused_unless_they_are_allowed(run: Run) -> None:
    """[SEP-2640] Binary files are refused unless the source says otherwise."""
    result = run("check", sample_skills())
    assert result.exit_code == 1
    assert "chart-style/SKILL.md:1:1: error: assets/palette.png is binary" in result.stdout


def test_json_is_one_document(run: Run, tmp_path: Path) -> None:
    """[ours] Its keys are what scripts rely on."""
    write(tmp_path, "good/SKILL.md", GOOD)
    write(tmp_path, "bad/SKILL.md", "no frontmatter\n")
    document = json.loads(run("check", tmp_path, "--json").stdout)
    assert list(document) == ["target", "served", "remarks", "refused", "findings", "token_estimates", "fixed"]
    assert document["target"] == str(tmp_path)
    assert document["served"] == [{"path": "good", "files": 1, "size": len(GOOD)}]
    assert [sorted(problem) for problem in document["refused"]] == [["code", "column", "detail", "line", "where"]]
    assert document["refused"][0]["where"] == "bad"
    message = "the first line is not '---'; begin SKILL.md with a frontmatter"
    place = {"path": "bad/SKILL.md", "line": 1, "column": 1}
    assert document["findings"] == [{**place, "code": "no_frontmatter", "severity": "error", "message": message}]
    assert document["token_estimates"] == [{"path": "bad", "tokens": 4}, {"path": "good", "tokens": 13}]
    assert document["fixed"] == []


def test_a_symbolic_link_out_of_the_skill_is_an_error_and_one_inside_a_warning(run: Run, tmp_path: Path) -> None:
    """[ours] Neither is followed or served."""
    write(tmp_path, "good/SKILL.md", GOOD)
    (tmp_path / "good" / "copy.md").symlink_to("SKILL.md")
    inside = run("check", tmp_path, "--json")
    assert (inside.exit_code, json.loads(inside.stdout)["refused"]) == (0, [])
    assert [problem["code"] for problem in json.loads(inside.stdout)["remarks"]] == ["symlink"]
    (tmp_path / "good" / "hosts").symlink_to("/etc/hosts")
    outside = run("check", tmp_path)
    assert outside.exit_code == 1
    assert "good/copy.md: warning: a symbolic link is not followed" in outside.stdout
    assert "good/hosts: error: a symbolic link that leads out of its skill" in outside.stdout
    assert outside.stderr.endswith("1 served, 1 refused; 1 errors, 1 warnings\n")


def test_a_folder_that_is_a_skill_is_checked_as_that_one_skill(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours] As `demo` and `publish` take it, and wherever it is named from."""
    write(tmp_path, "skills/good/SKILL.md", GOOD + "[x](x.md)\n")
    write(tmp_path, "skills/bad/SKILL.md", "no frontmatter\n")
    said = "SKILL.md:6:5: warning: the link 'x.md' leads to no file of the skill; correct it, or add x.md [broken_link]"
    from_above = run("check", "skills/good")
    assert (from_above.exit_code, from_above.stdout.splitlines()[1:]) == (0, [f"skills/good/{said}"])
    monkeypatch.chdir(tmp_path / "skills" / "good")
    assert run("check", ".").stdout.splitlines()[1:] == [said]


@pytest.mark.parametrize("target", ["nowhere", "nowhere/SKILL.md"])
def test_a_target_that_is_not_there_is_exit_code_2(run: Run, target: str) -> None:
    """[ours] Usage, not a verdict."""
    result = run("check", target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {target} is no folder; name one, or s3://bucket/prefix\n"


@pytest.mark.parametrize(
    ("flags", "exit_code", "severity"),
    [
        ([], 0, "warning"),
        (["--strict"], 1, "error"),
        (["--severity", "crlf=error"], 1, "error"),
        (["--severity", "crlf=off"], 0, None),
        (["--strict", "--severity", "crlf=off"], 0, None),
        (["--strict", "--ignore", "good"], 0, None),
    ],
)
def test_the_severity_of_a_rule_decides_on_the_exit_code(
    run: Run, tmp_path: Path, flags: list[str], exit_code: int, severity: str | None
) -> None:
    """[ours]"""
    write(tmp_path, "good/SKILL.md", GOOD.replace("\n", "\r\n"))
    result = run("check", tmp_path, "--json", *flags)
    found = [finding["severity"] for finding in json.loads(result.stdout)["findings"]]
    assert (result.exit_code, found) == (exit_code, [severity] if severity else [])


def test_a_refusal_stays_an_error_whatever_is_asked(run: Run, tmp_path: Path) -> None:
    """[ours]"""
    write(tmp_path, "other/SKILL.md", GOOD)
    assert run("check", tmp_path, "--ignore", "*").exit_code == 1
    lowered = run("check", tmp_path, "--severity", "name_mismatch=off")
    assert (lowered.exit_code, lowered.stdout) == (2, "")
    assert "--severity: 'name_mismatch' is no rule with a severity" in lowered.stderr


def test_annotations_have_their_values_escaped(run: Run, tmp_path: Path) -> None:
    """[GitHub Actions, Workflow commands]"""
    write(tmp_path, "good/SKILL.md", GOOD + "[x](50%25,a:b.md)\n")
    write(tmp_path, "good/a,b:c%.pyc~", "")
    said = "the link '50%25,a:b.md' leads to no file of the skill; correct it, or add 50%,a:b.md".replace("%", "%25")
    result = run("check", ".", "--format", "github")
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            f"::warning file=good/SKILL.md,line=6,col=5,title=broken_link::{said}",
            "::warning file=good/a%2Cb%3Ac%25.pyc~,title=junk_file::"
            "no skill needs this; remove it, or pass it over with --ignore",
        ],
    )


def test_fix_mends_then_checks(run: Run, tmp_path: Path) -> None:
    """[ours] The talk says what was changed; a second run changes nothing."""
    before = GOOD.replace("---\nDo", "at: 12:30\nmetadata:\n  version: 1.0\n---\nDo").replace("\n", "\r\n")
    (tmp_path / "good").mkdir()
    (tmp_path / "good/SKILL.md").write_bytes(before.encode())
    first = run("check", tmp_path, "--fix", "--json", "--strict")
    changes = ["changed CRLF to LF", "quoted 12:30 in line 4", "quoted 1.0 in line 6"]
    assert first.exit_code == 0
    assert json.loads(first.stdout)["fixed"] == [{"path": "good/SKILL.md", "change": change} for change in changes]
    assert "fixed    good/SKILL.md: quoted 1.0 in line 6\n" in first.stderr
    after = (tmp_path / "good/SKILL.md").read_bytes()
    assert after == before.replace("\r", "").replace("12:30", '"12:30"').replace("1.0", '"1.0"').encode()
    assert json.loads(run("check", tmp_path, "--fix", "--json").stdout)["fixed"] == []


def test_fix_names_renames_what_it_may(run: Run, tmp_path: Path) -> None:
    """[ours] Only when asked, and only where the name is free."""
    for folder in ("wrong/old", "taken", "good"):
        write(tmp_path, f"{folder}/SKILL.md", GOOD)
    assert run("check", tmp_path, "--fix").exit_code == 1
    result = run("check", tmp_path, "--fix-names")
    assert result.exit_code == 1
    assert "fixed    wrong/old: renamed to good\n" in result.stderr
    assert "taken: was not renamed to good: there is something of that name already\n" in result.stderr
    assert sorted(file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("SKILL.md")) == [
        "good/SKILL.md",
        "taken/SKILL.md",
        "wrong/good/SKILL.md",
    ]


@pytest.mark.parametrize("flag", ["--fix", "--fix-names"])
def test_a_bucket_is_not_mended(run: Run, flag: str) -> None:
    """[ours]"""
    result = run("check", "s3://skills/team", flag)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: --fix and --fix-names write files; name a folder, not a bucket\n"


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
        assert (result.exit_code, result.stdout) == (2, "")
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
    s3_bucket: S3Bucket, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours] Every real store; the command has a loop of its own, so it runs in a thread."""
    folder = tmp_path / "skills"
    shutil.copytree(sample_skills(), folder)
    write(folder, "linked/SKILL.md", GOOD.replace("good", "linked") + "[x](x.md)\n")
    write(folder, "wrong/SKILL.md", GOOD)
    async with s3_bucket.open() as store:
        await upload(plan_upload(folder), store, lambda one: None)
    options = s3_bucket.options
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", options.access_key or "")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", options.secret_key or "")
    monkeypatch.chdir(folder)
    arguments = ("--allow-binary", "--endpoint-url", options.endpoint_url, "--region", "us-east-1")
    of_bucket = await asyncio.to_thread(run, "check", f"s3://{s3_bucket.name}", *arguments)
    of_folder = await asyncio.to_thread(run, "check", ".", "--allow-binary")
    assert (of_bucket.exit_code, of_folder.exit_code) == (1, 1)
    assert sorted(of_bucket.stdout.splitlines()) == sorted(of_folder.stdout.splitlines())
    assert len(of_folder.stdout.splitlines()) == 5 + 1 + 2


def test_a_store_that_is_down_is_one_line_and_exit_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours]"""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    result = run("check", "s3://skills/team", "--endpoint-url", "http://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ListObjectsV2 in bucket 'skills' at http://127.0.0.1:1")
