"""`releases`, `rollback`, `promote`, `diff`, `verify`, `pull` and `prune`: what comes after `publish`."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.local.seaweedfs import LocalServer
from gateway.releases.publish import Terms, publish
from gateway.releases.repository import Repository
from gateway.skill.model import digest_of
from tests.cli.conftest import Run
from tests.cli.publishing import Place, opened, write_skill
from tests.releases.plans import AT, plan_of
from tests.stores import S3Bucket, fresh_bucket
from tests.tree.trees import skill_md

SKILL = skill_md("refunds")


@pytest.fixture
def place(run: Run, moto_server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    yield from opened(run, fresh_bucket("moto", moto_server), monkeypatch)


@pytest.fixture
def releases(place: Place) -> list[str]:
    """Ids of three releases that channel `stable` pointed at, the last one first."""
    return asyncio.run(published(place.bucket, "first", "second", "third"))[::-1]


async def published(bucket: S3Bucket, *texts: str) -> list[str]:
    made: list[str] = []
    async with bucket.open() as store:
        for text in texts:
            plan = await plan_of({"acme/refunds/SKILL.md": SKILL, "acme/refunds/notes.md": text.encode()})
            done = await publish(Repository(store, "of us/"), plan, Terms("stable", AT, text))
            made.append(done.release)
    return made


def current(place: Place, channel: str = "stable") -> str:
    return json.loads(place("releases", "--channel", channel, "--json").stdout)["channels"][0]["current"]


def test_releases_are_listed_newest_first_with_the_current_one_marked(place: Place, releases: list[str]) -> None:
    """[ours]"""
    place("promote", "stable~2", "beta")
    lines = place("releases").stdout.splitlines()
    assert [line[:22] for line in lines] == [
        "beta",
        f"* {releases[2]}",
        "stable",
        f"* {releases[0]}",
        f"  {releases[1]}",
        f"  {releases[2]}",
    ]
    assert lines[1].endswith("Z  promote")
    assert lines[3].endswith("Z  publish   third")
    assert place("releases", "--channel", "beta").stdout.splitlines() == lines[:2]


def test_rollback_goes_to_the_last_other_release_or_to_the_one_named(place: Place, releases: list[str]) -> None:
    """[ours]"""
    back = place("rollback", "--channel", "stable")
    assert back.stdout == f"{releases[1]}\n"
    assert back.stderr == f"channel 'stable' moved from {releases[0]} to {releases[1]}\n"
    assert place("rollback", "--to", releases[2], "--message", "bad").stdout == f"{releases[2]}\n"
    assert place("rollback", "--to", "stable~2").stdout == f"{releases[0]}\n"
    assert current(place) == releases[0]
    same = json.loads(place("rollback", "--to", releases[0], "--json").stdout)
    assert (same["moved"], same["from"], same["release"]) == (False, releases[0], releases[0])


def test_promote_points_one_channel_at_the_release_of_another(place: Place, releases: list[str]) -> None:
    """[ours]"""
    new = place("promote", "stable", "production")
    assert new.stderr == f"channel 'production' moved from nowhere to {releases[0]}\n"
    assert place("promote", releases[1], "production", "--json").stdout.count(releases[0]) == 1
    assert current(place, "production") == releases[1]
    assert "nothing was moved" in place("promote", "stable~1", "production").stderr


def test_a_promoted_release_keeps_the_labels_it_was_published_with(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours] They tell of the release; those of the job that promotes it only fill what is missing."""
    (tmp_path / "skills/kit").mkdir(parents=True)
    (tmp_path / "skills/kit/SKILL.md").write_text("---\nname: kit\ndescription: Does.\n---\n")
    place("publish", tmp_path / "skills", "--channel", "beta", "--label", "commit=abc", "--label", "team=one")
    monkeypatch.setenv("CI_COMMIT_SHA", "def")
    monkeypatch.setenv("CI_JOB_URL", "https://ci.example.com/7")
    moved = json.loads(place("promote", "beta", "stable", "--label", "team=two", "--json").stdout)
    assert moved["labels"] == {"commit": "abc", "team": "two", "run": "https://ci.example.com/7"}


def test_diff_shows_skills_and_files(place: Place, releases: list[str], tmp_path: Path) -> None:
    """[ours]"""
    shown = place("diff", "stable~1", "stable")
    assert shown.stdout.splitlines() == ["changed  skill  acme/refunds", "changed  file   acme/refunds/notes.md"]
    assert shown.stderr == f"{releases[1]} to {releases[0]}: skills: 0 added, 0 removed, 1 changed\n"
    document = json.loads(place("diff", releases[0], releases[2], "--json").stdout)
    assert (document["from"], document["changes"]["files_changed"]) == (releases[0], ["acme/refunds/notes.md"])
    same = place("diff", "stable", "stable")
    assert (same.stdout, same.stderr.endswith("no skill differs\n")) == ("", True)


def test_verify_names_each_wrong_object(place: Place, releases: list[str]) -> None:
    """[ours]"""
    size = len(SKILL) + len("third")
    assert place("verify").stderr == f"1 releases, 1 shards, 2 blobs, {size} bytes: all right\n"
    digest = digest_of(b"third").removeprefix("sha256:")
    key = f"of us/blobs/sha256/{digest[:2]}/{digest}"
    place.bucket.erase(key)
    wrong = place("verify", "stable", "--quick", code=1)
    assert wrong.stdout == f"wrong  {key}: is not there\n"
    assert json.loads(place("verify", "stable", "--json", code=1).stdout)["wrong"] == [
        {"key": key, "detail": "is not there"}
    ]
    assert place("verify", "stable~1").stderr.endswith("all right\n")


def test_pull_writes_a_release_to_a_folder(place: Place, releases: list[str], tmp_path: Path) -> None:
    """[ours]"""
    pulled = place("pull", "stable~1", tmp_path / "pulled")
    assert pulled.stdout == f"{releases[1]}\n"
    assert (tmp_path / "pulled/acme/refunds/notes.md").read_text() == "second"
    assert place.publish(tmp_path / "pulled", "--channel", "again", "--allow-binary") == releases[1]
    assert "is not empty" in place("pull", "stable", tmp_path / "pulled", code=1).stderr


def test_prune_removes_old_releases_and_a_rollback_to_one_says_so(place: Place, releases: list[str]) -> None:
    """[ours]"""
    assert place("prune", "--keep", 1).stdout == ""
    dry = place("prune", "--keep", 1, "--grace", "0s", "--dry-run")
    gone = place("prune", "--keep", 1, "--grace", "0s")
    assert dry.stdout == gone.stdout == "".join(f"{release}\n" for release in sorted(releases[1:]))
    assert gone.stderr.splitlines()[0].startswith("warning: with a grace under one day")
    assert "removed 2 releases, 6 objects" in gone.stderr
    lines = place("releases").stdout.splitlines()
    assert [line[:22] for line in lines[1:]] == [
        f"{'*--'[number]} {release}" for number, release in enumerate(releases)
    ]
    for arguments in ((), ("--to", releases[2]), ("--to", "stable~1")):
        assert "was pruned: the channel's history names it" in place("rollback", *arguments, code=1).stderr
    assert current(place) == releases[0]
    assert place("verify").stderr.endswith("all right\n")


def test_what_is_not_there_is_named(place: Place, tmp_path: Path) -> None:
    """[ours: bad input]"""
    write_skill(tmp_path / "skills", "acme/refunds")
    assert "there is no channel at s3://" in place("releases", code=1).stderr
    assert "there is no channel at s3://" in place("verify", code=1).stderr
    said = "neither a release (20 hexadecimal digits) nor a channel here; there is none under 'of us/channels/'"
    assert said in place("promote", "beta", "stable", code=1).stderr
    place.publish(tmp_path / "skills")
    missing = "0" * 20
    assert f"there is no release '{missing}'" in place("pull", missing, tmp_path / "x", code=1).stderr
    assert f"there is no release '{missing}'" in place("rollback", "--to", missing, code=1).stderr
    assert "nor a channel here; the channels are: stable" in place("diff", "stable", "beta", code=1).stderr
    assert "has only 1 moves on record" in place("promote", "stable~1", "beta", code=1).stderr
    said = "there is no channel 'beta' here; the channels are: stable"
    assert said in place("rollback", "--channel", "beta", code=1).stderr
    assert "has no earlier release" in place("rollback", code=1).stderr
    assert "--grace is '7 days': needs a number" in place("prune", "--keep", 1, "--grace", "7 days", code=2).stderr


def test_a_pointer_that_is_no_json_is_named_and_the_others_are_listed(place: Place, releases: list[str]) -> None:
    """[ours: bad input]"""
    place.bucket.write("of us/channels/beta.json", b"<html>")
    listed = place("releases", code=1)
    assert listed.stdout.splitlines()[0] == "stable"
    assert "error: the pointer of channel 'beta' is no JSON" in listed.stderr
    assert "channel 'beta' is no JSON" in place("rollback", "--channel", "beta", code=1).stderr
    assert "channel 'beta' is no JSON" in place("prune", "--keep", 1, code=1).stderr


@pytest.mark.parametrize("command", ["publish", "releases", "rollback", "promote", "diff", "verify", "pull", "prune"])
def test_every_command_has_help(run: Run, command: str) -> None:
    """[ours]"""
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "s3://BUCKET/PREFIX" in result.stdout
