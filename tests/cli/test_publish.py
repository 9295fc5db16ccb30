"""`skills-gateway publish`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.cli.demo import sample_skills
from gateway.cli.folder import SkillFolder
from gateway.cli.repository import all_labels, ci_labels
from gateway.errors import PublishRefused, SettingsError
from gateway.local.seaweedfs import LocalServer
from gateway.releases.signatures import new_signing_key
from gateway.skill.model import SkillPath
from tests.cli.conftest import Run
from tests.cli.publishing import Place, opened, write_skill
from tests.stores import fresh_bucket

CI_NAMES = ("GITHUB_SHA", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "CI_COMMIT_SHA", "CI_JOB_URL")


@pytest.fixture(autouse=True)
def _no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CI_NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def place(run: Run, moto_server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    yield from opened(run, fresh_bucket("moto", moto_server), monkeypatch)


@pytest.fixture(params=["seaweedfs", "moto"])
def each_place(request: pytest.FixtureRequest, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    server = request.getfixturevalue(f"{request.param}_server")
    yield from opened(run, fresh_bucket(request.param, server), monkeypatch)


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    write_skill(folder, "acme/refunds", notes="first")
    write_skill(folder, "release-notes")
    return folder


def keys(place: Place) -> list[str]:
    return place.bucket.keys()


def test_publish_prints_the_id_and_the_same_skills_have_the_same_one(each_place: Place) -> None:
    """[ours: deterministic release id] Every store with conditions; the sample skills have a binary file."""
    first = each_place("publish", sample_skills(), "--allow-binary", "--message", "first", "--label", "a=b")
    again = each_place("publish", sample_skills(), "--allow-binary", "--message", "again")
    assert first.stdout == again.stdout
    assert "channel 'stable' points at it now: 5 skills, 11 files" in first.stderr
    assert again.stderr == "channel 'stable' points at this release already; nothing was written\n"
    listed = json.loads(each_place("releases", "--json").stdout)
    assert [(move["release"], move["message"], move["labels"]) for move in listed["channels"][0]["moves"]] == [
        (first.stdout.strip(), "first", {"a": "b"})
    ]


def test_json_is_one_document(place: Place, skills: Path) -> None:
    """[ours] Its keys are what scripts rely on."""
    document = json.loads(place("publish", skills, "--channel", "beta", "--json").stdout)
    assert list(document) == [
        *("release", "at", "action", "message", "labels", "channel", "moved"),
        *("skills", "files", "bytes", "blobs", "shards"),
    ]
    assert (document["channel"], document["moved"], document["skills"], document["files"]) == ("beta", True, 2, 3)


def test_a_dry_run_prints_the_difference_and_writes_nothing(place: Place, skills: Path) -> None:
    """[ours]"""
    dry = place("publish", skills, "--dry-run")
    assert dry.stdout.splitlines()[:2] == ["added    skill  acme/refunds", "added    skill  release-notes"]
    assert keys(place) == []
    release = place.publish(skills)
    assert f"would publish release {release} to channel 'stable'; nothing was written" in dry.stderr
    before = keys(place)
    write_skill(skills, "acme/refunds", notes="second", more="more")
    assert place("publish", skills, "--dry-run").stdout.splitlines() == [
        "changed  skill  acme/refunds",
        "added    file   acme/refunds/more.md",
        "changed  file   acme/refunds/notes.md",
    ]
    assert keys(place) == before


def test_an_error_of_the_linter_stops_everything_unless_the_skill_is_left_out(place: Place, skills: Path) -> None:
    """[ours: lint first; nothing is uploaded]"""
    write_skill(skills, "wrong")
    write_skill(skills, "good")
    (skills / "wrong/SKILL.md").write_text("no frontmatter\n")
    (skills / "release-notes/hosts").symlink_to("/etc/hosts")
    refused = place("publish", skills, code=1)
    assert refused.stdout == ""
    assert "skills/wrong/SKILL.md:1:1: error: the first line is not '---'" in refused.stderr
    assert "skills/release-notes/hosts: error: a symbolic link that leads out of its skill" in refused.stderr
    assert "error: 2 errors, so nothing was uploaded" in refused.stderr
    assert keys(place) == []
    assert "2 skills, 3 files" in place("publish", skills, "--leave-out-invalid").stderr


def test_the_severities_of_the_settings_hold_for_a_publish_too(
    place: Place, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours: severity per rule, configurable]"""
    (skills / "release-notes/.notes").write_bytes(b"x")
    monkeypatch.setenv("GATEWAY_LINT_SEVERITIES", "hidden_file=error, broken_link=off")
    assert "release-notes/.notes: error: " in place("publish", skills, code=1).stderr
    monkeypatch.setenv("GATEWAY_LINT_IGNORE", "*.notes")
    assert "2 skills, 3 files" in place("publish", skills).stderr


def test_a_folder_without_skills_is_refused(place: Place, tmp_path: Path) -> None:
    """[ours: an empty folder]"""
    (tmp_path / "empty").mkdir()
    assert "there is no skill to publish in" in place("publish", tmp_path / "empty", code=1).stderr
    assert "none is no folder" in place("publish", tmp_path / "none", code=2).stderr
    assert keys(place) == []


def test_a_folder_that_is_a_skill_itself_is_published_as_that_one(place: Place, skills: Path, tmp_path: Path) -> None:
    """[ours] What lies beside it is nobody's business."""
    place("publish", skills / "acme/refunds")
    place("pull", "stable", tmp_path / "pulled")
    assert sorted(path.relative_to(tmp_path / "pulled").as_posix() for path in (tmp_path / "pulled").rglob("*.md")) == [
        "refunds/SKILL.md",
        "refunds/notes.md",
    ]


def test_binary_files_are_refused_unless_they_are_allowed(place: Place) -> None:
    """[SEP-2640]"""
    assert "assets/palette.png is binary" in place("publish", sample_skills(), code=1).stderr


def test_a_store_that_ignores_conditions_is_refused_unless_forced(
    run: Run, juicefs_server: LocalServer, monkeypatch: pytest.MonkeyPatch, skills: Path
) -> None:
    """[ours: found out by trying]"""
    place = next(opened(run, fresh_bucket("juicefs", juicefs_server), monkeypatch))
    assert "--force-unconditional" in place("publish", skills, code=1).stderr
    assert [key for key in keys(place) if "/channels/" in key] == []
    release = place.publish(skills, "--force-unconditional")
    assert place("verify", "stable").stderr.endswith("all right\n")
    assert release in place("releases").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--channel", "Stable"), "'Stable' is no name of a channel"),
        (("--channel", "0" * 20), "reads as the id of a release"),
        (("--label", "nothing"), "--label 'nothing' is no KEY=VALUE"),
        (("--sign", "none.pem"), "--sign none.pem cannot be read (No such file or directory)"),
        (("--sign", "no.pem"), "is no Ed25519 private key"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    place: Place, skills: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    """[ours]"""
    (tmp_path / "no.pem").write_text("no key")
    assert message in place("publish", skills, *arguments, code=2).stderr


def test_a_target_that_is_no_bucket_is_exit_code_2(run: Run, skills: Path) -> None:
    """[ours]"""
    for target in ("bucket/prefix", "s3://", "s3://bucket//x"):
        result = run("publish", skills, target)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{target} names no bucket and prefix; needs s3://bucket/prefix" in result.stderr


def test_a_release_is_signed_with_the_key_of_a_file(place: Place, skills: Path, tmp_path: Path) -> None:
    """[RFC 8032] The signature lies beside the index."""
    (tmp_path / "key.pem").write_text(new_signing_key()[0])
    release = place.publish(skills, "--sign", tmp_path / "key.pem")
    assert f"of us/releases/{release}.sig.json" in keys(place)


async def test_a_file_that_is_gone_or_is_another_one_by_now_is_not_published(skills: Path) -> None:
    """[ours: a file that changes while it is published]"""
    folder = SkillFolder(skills)
    path, file = SkillPath("acme/refunds"), "notes.md"
    assert await folder.read(path, file) == b"first"
    (skills / path / file).unlink()
    (skills / path / file).symlink_to("/etc/hosts")
    with pytest.raises(PublishRefused, match=r"acme/refunds/notes\.md changed while it was published"):
        await folder.read(path, file)


def test_commit_and_run_are_taken_from_a_ci_unless_they_are_given() -> None:
    """[GitHub, Variables reference] [GitLab, Predefined CI/CD variables]"""
    github = {
        "GITHUB_SHA": "abc",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "acme/skills",
        "GITHUB_RUN_ID": "7",
    }
    assert ci_labels(github) == {"commit": "abc", "run": "https://github.com/acme/skills/actions/runs/7"}
    gitlab = {"CI_COMMIT_SHA": "def", "CI_JOB_URL": "https://gitlab.com/acme/skills/-/jobs/8"}
    assert ci_labels(gitlab) == {"commit": "def", "run": "https://gitlab.com/acme/skills/-/jobs/8"}
    assert all_labels(["commit=mine", "team=a=b"], gitlab)["commit"] == "mine"
    assert all_labels(["team=a=b"], {}) == {"team": "a=b"}
    with pytest.raises(SettingsError, match="is no KEY=VALUE"):
        all_labels(["=x"], {})


def test_a_store_that_refuses_to_write_says_what_is_missing(
    run: Run, seaweedfs_server: LocalServer, monkeypatch: pytest.MonkeyPatch, skills: Path
) -> None:
    """[ours: a bucket without permission]"""
    place = next(opened(run, fresh_bucket("seaweedfs", seaweedfs_server), monkeypatch))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    refused = place("publish", skills, code=1)
    assert refused.stdout == ""
    assert refused.stderr.startswith("error: GetObject of 'of us/channels/stable.json' in bucket")
    assert "check the credentials and what they may do" in refused.stderr
