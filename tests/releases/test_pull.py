"""Pulling: the folder is there with all of the release, or as it was."""

from pathlib import Path

import pytest

from gateway.errors import ManifestRefused, ReleaseError
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectKey
from gateway.releases.documents import Index, ShardRow, dump_shard
from gateway.releases.publish import Plan, Terms, publish
from gateway.releases.pull import pull
from gateway.releases.repository import Repository
from gateway.skill.model import SkillEntry, SkillFile, SkillPath, digest_of
from tests.releases.plans import AT, Files, files_of, plan_of
from tests.stores import S3Bucket
from tests.tree.trees import skill_md

NESTED = {"a/SKILL.md": skill_md("a"), "a/b/SKILL.md": skill_md("b"), "a/b/é x.bin": b"\0" * 200_000, "a/empty/": b""}


async def published(store: MemoryStore, files: Files) -> tuple[Repository, Plan]:
    repository, plan = Repository(store, ""), await plan_of(files)
    await publish(repository, plan, Terms("stable", AT))
    return repository, plan


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix() + ("/" if path.is_dir() else ""): b""
        if path.is_dir()
        else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() or not any(path.iterdir())
    }


async def test_a_release_becomes_the_folder_it_was_made_of(conditional_bucket: S3Bucket, tmp_path: Path) -> None:
    """[ours] Nested skills, a large binary file, an empty directory."""
    plan = await plan_of(NESTED)
    async with conditional_bucket.open() as store:
        repository = Repository(store, "")
        await publish(repository, plan, Terms("stable", AT))
        pulled = await pull(repository, plan.release.index, tmp_path / "new/er")
    assert contents(tmp_path / "new/er") == NESTED
    assert (pulled.skills, pulled.files, pulled.size_bytes) == (2, 3, sum(map(len, NESTED.values())))
    assert names(tmp_path) == ["new"]
    assert [name for name in names(tmp_path / "new") if name.startswith(".")] == []


async def test_an_empty_folder_is_filled_and_another_one_refused(tmp_path: Path) -> None:
    """[ours] What somebody has there is never mixed with a release."""
    repository, plan = await published(MemoryStore(), files_of(3))
    (tmp_path / "empty").mkdir()
    await pull(repository, plan.release.index, tmp_path / "empty")
    assert contents(tmp_path / "empty") == files_of(3)
    with pytest.raises(ReleaseError, match="is not empty; name a folder that is new or empty"):
        await pull(repository, plan.release.index, tmp_path / "empty")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ReleaseError, match="is no folder"):
        await pull(repository, plan.release.index, tmp_path / "file")


@pytest.mark.parametrize("wrong", [None, b"skill-0009", b"skill-0001 and more", b""])
async def test_a_blob_that_is_not_right_leaves_no_folder(tmp_path: Path, wrong: bytes | None) -> None:
    """[ours]"""
    store = MemoryStore()
    repository, plan = await published(store, files_of(3))
    key = repository.layout.blob(digest_of(b"skill-0001"))
    store.erase(key) if wrong is None else store.store(key, wrong)
    with pytest.raises(ManifestRefused, match=f"the blob '{key}' is not"):
        await pull(repository, plan.release.index, tmp_path / "folder")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "file"), [("../a", "x"), ("a", "../../x"), ("/etc/a", "x"), ("a", "/etc/x"), ("a", "..\\x"), ("a", "./x")]
)
async def test_nothing_is_written_outside_the_folder(tmp_path: Path, path: str, file: str) -> None:
    """[ours] Whoever can write to the bucket could make such a manifest; it is refused before it is used."""
    store = MemoryStore()
    repository = Repository(store, "")
    entry = SkillEntry(
        SkillPath(path),
        {"name": "a", "description": "d"},
        (SkillFile("SKILL.md", 1, digest_of(b"1"), "text/markdown"), SkillFile(file, 1, digest_of(b"1"), "text/plain")),
    )
    row = stored_shard(store, repository, entry)
    with pytest.raises(ManifestRefused, match="cannot be served"):
        await pull(repository, Index((row,), 1, 2, 2), tmp_path / "in/side")
    assert names(tmp_path) == ["in"]


async def test_two_names_that_are_one_to_the_file_system_are_refused(tmp_path: Path) -> None:
    """[ours] Here: a file that is a folder of another skill."""
    store = MemoryStore()
    repository = Repository(store, "")
    store.store(repository.layout.blob(digest_of(b"1")), b"1")
    one, other = (
        SkillEntry(
            SkillPath(path),
            {"name": path[-1], "description": "d"},
            tuple(SkillFile(name, 1, digest_of(b"1"), "text/plain") for name in ("SKILL.md", *more)),
        )
        for path, more in (("a", ("b",)), ("a/b", ()))
    )
    rows = tuple(stored_shard(store, repository, entry) for entry in (one, other))
    with pytest.raises(ReleaseError, match="cannot be written"):
        await pull(repository, Index(rows, 2, 3, 3), tmp_path / "folder")
    assert names(tmp_path) == []


def stored_shard(store: MemoryStore, repository: Repository, entry: SkillEntry) -> ShardRow:
    data = dump_shard([entry])
    store.store(ObjectKey(repository.layout.shard(digest_of(data))), data)
    return ShardRow(entry.path, 1, digest_of(data))
