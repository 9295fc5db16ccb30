"""Putting a folder into a bucket."""

from pathlib import Path

import pytest

from gateway.cli.terminal import CommandFailed, UsageRefused
from gateway.cli.upload import plan_upload, upload
from gateway.errors import GatewayError
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectKey
from gateway.skill.model import digest_of


def write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


def keys(folder: Path) -> list[str]:
    return [one.key for one in plan_upload(folder)]


def test_each_file_gets_its_path_as_key(tmp_path: Path) -> None:
    """[ours]"""
    write(tmp_path, "b/SKILL.md", "a/x/SKILL.md", "a/x/data/one two.md")
    assert keys(tmp_path) == ["a/x/SKILL.md", "a/x/data/one two.md", "b/SKILL.md"]


def test_a_folder_that_is_a_skill_itself_keeps_its_name(tmp_path: Path) -> None:
    """[ours] Its name must be the last segment of the path."""
    write(tmp_path, "refunds/SKILL.md", "refunds/a.md")
    assert keys(tmp_path / "refunds") == ["refunds/SKILL.md", "refunds/a.md"]


def test_hidden_files_and_links_stay_behind(tmp_path: Path) -> None:
    """[ours] A link may lead to whatever the user can read."""
    write(tmp_path, "a/SKILL.md", "a/.env", ".git/config")
    (tmp_path / "a" / "link").symlink_to("/etc/hosts")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    assert keys(tmp_path) == ["a/SKILL.md"]


@pytest.mark.parametrize(
    ("folder", "refusal", "message"),
    [("none", UsageRefused, "none is no folder"), (".", CommandFailed, r"\. has no SKILL.md in it or below")],
)
def test_a_folder_without_skills_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, refusal: type[GatewayError], message: str
) -> None:
    """[ours] An empty demo would only puzzle."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(refusal, match=message):
        plan_upload(Path(folder))


async def test_files_arrive_whole_with_checksum_and_media_type(tmp_path: Path) -> None:
    """[ours] More files than are put at once; each is reported once."""
    write(tmp_path, *(f"skill-{index}/SKILL.md" for index in range(20)), "skill-0/icon.png")
    store, done = MemoryStore(), []
    uploads = plan_upload(tmp_path)
    await upload(uploads, store, lambda one: done.append(one.key))
    assert sorted(done) == [one.key for one in uploads]
    page = await store.list_page("")
    assert [item.key for item in page.objects] == sorted(done)
    head = await store.head(ObjectKey("skill-0/icon.png"))
    assert (head.media_type, head.sha256) == ("image/png", digest_of(b"skill-0/icon.png"))
