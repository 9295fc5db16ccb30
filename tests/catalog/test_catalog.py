"""`SkillCatalog`: what it finds, what it refuses, and what a reload changes."""

import asyncio
import os
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

from gateway.catalog.catalog import CatalogRefused, ReloadResult, SkillCatalog
from gateway.catalog.files import FolderFiles, FoundFile, MemoryFiles, SkillFiles, StoreFiles
from gateway.errors import ContentChanged, NotServed, StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.provider import Caller, Page
from gateway.skill.model import Problem, SkillEntry, SkillFile, SkillPath, digest_of
from tests.catalog.skills import TREE, skill_md

ANYBODY = Caller()


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        if name.endswith("/"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    return folder


def sources(tmp_path: Path, files: dict[str, bytes]) -> dict[str, SkillFiles]:
    return {
        "memory": MemoryFiles(files),
        "folder": FolderFiles(written(tmp_path, files)),
        "store": StoreFiles(MemoryStore({f"p/{name}": data for name, data in files.items()}), "p/"),
    }


def file(path: str, data: bytes, media_type: str) -> SkillFile:
    return SkillFile(path, len(data), digest_of(data), media_type)


@pytest.mark.parametrize("kind", ["memory", "folder", "store"])
async def test_a_catalogue_holds_exactly_what_the_files_are(kind: str, tmp_path: Path) -> None:
    """[ours: entries, sorted by URI; hidden names skipped; SEP-2640: nested files in both manifests]"""
    catalog = await SkillCatalog.load(sources(tmp_path, TREE)[kind])
    inner = (
        file("SKILL.md", TREE["outer/inner/SKILL.md"], "text/markdown"),
        file("x.md", b"x\n", "text/markdown"),
    )
    assert [entry.path for entry in catalog.entries] == ["alpha", "outer", "outer/inner", "team/beta"]
    alpha, outer, nested, _ = catalog.entries
    assert alpha == SkillEntry(
        SkillPath("alpha"),
        {"name": "alpha", "description": "Use it when a test needs a skill."},
        (
            file("SKILL.md", TREE["alpha/SKILL.md"], "text/markdown"),
            file("refs/guide.md", b"# Guide\n", "text/markdown"),
        ),
        ("empty",) if kind != "store" else alpha.directories,
    )
    assert nested.files == inner
    assert [f.path for f in outer.files or ()] == ["SKILL.md", "inner/SKILL.md", "inner/x.md", "notes.txt"]


async def test_a_prefix_stands_in_front_of_every_path() -> None:
    """[ours: prefix]"""
    catalog = await SkillCatalog.load(MemoryFiles(TREE), prefix="acme/tools")
    assert catalog.entries[0].path == "acme/tools/alpha"
    content = await catalog.read(SkillPath("acme/tools/alpha"), "refs/guide.md", ANYBODY)
    assert content.data == b"# Guide\n"
    with pytest.raises(ValueError, match=r"'\.\.' segment"):
        await SkillCatalog.load(MemoryFiles(TREE), prefix="a/../b")


async def test_a_bad_skill_is_left_out_with_a_warning_that_names_path_and_reason() -> None:
    """[ours: not strict]"""
    warnings: list[Problem] = []
    files = TREE | {"bad/SKILL.md": skill_md("other"), "broken/SKILL.md": b"---\nname: [\n---\n"}
    catalog = await SkillCatalog.load(MemoryFiles(files), on_warning=warnings.append)
    assert len(catalog.entries) == 4
    assert {(problem.where, problem.code) for problem in warnings} >= {("bad", "name_mismatch")}
    assert {problem.where for problem in warnings} == {"bad", "broken"}


async def test_a_strict_catalogue_lists_all_that_is_wrong_in_one_error() -> None:
    """[ours: strict]"""
    files = TREE | {"bad/SKILL.md": skill_md("other"), "blank/SKILL.md": skill_md("blank", "' '")}
    with pytest.raises(CatalogRefused) as refused:
        await SkillCatalog.load(MemoryFiles(files), strict=True)
    assert {problem.where for problem in refused.value.problems} == {"bad", "blank"}
    assert "bad" in str(refused.value)
    assert "blank" in str(refused.value)


async def test_a_link_or_a_special_file_refuses_the_skill_around_it(tmp_path: Path) -> None:
    """[ours: symlinks and special files refused, in a local folder]"""
    folder = written(tmp_path, TREE)
    (folder / "alpha/link.md").symlink_to(folder / "README.md")
    os.mkfifo(folder / "team/beta/pipe")
    warnings: list[Problem] = []
    catalog = await SkillCatalog.load(FolderFiles(folder), on_warning=warnings.append)
    assert [entry.path for entry in catalog.entries] == ["outer", "outer/inner"]
    assert {problem.where: problem.code for problem in warnings} == {
        "alpha": "unservable_file",
        "team/beta": "unservable_file",
    }


async def test_binary_files_need_leave() -> None:
    """[ours: binary]"""
    files = {"pic/SKILL.md": skill_md("pic"), "pic/a.png": b"\x89PNG\x00\xff"}
    assert (await SkillCatalog.load(MemoryFiles(files), on_warning=lambda _: None)).entries == ()
    allowed = await SkillCatalog.load(MemoryFiles(files), allow_binary=True)
    content = await allowed.read(SkillPath("pic"), "a.png", ANYBODY)
    assert (content.media_type, content.allow_binary) == ("image/png", True)


async def test_changed_bytes_are_never_served_as_the_published_ones() -> None:
    """[ours: every read is checked against the published entry]"""
    files = dict(TREE)
    catalog = await SkillCatalog.load(MemoryFiles(files))
    files["alpha/refs/guide.md"] = b"# Other\n"
    with pytest.raises(ContentChanged):
        await catalog.read(SkillPath("alpha"), "refs/guide.md", ANYBODY)
    await catalog.reload()
    assert (await catalog.read(SkillPath("alpha"), "refs/guide.md", ANYBODY)).data == b"# Other\n"


async def test_an_unlisted_file_is_not_read() -> None:
    """[ours]"""
    catalog = await SkillCatalog.load(MemoryFiles(TREE))
    for path, name in (("alpha", ".git/config"), ("alpha", "../README.md"), ("gone", "SKILL.md")):
        with pytest.raises(NotServed):
            await catalog.read(SkillPath(path), name, ANYBODY)


async def test_a_reload_says_what_was_added_removed_and_changed() -> None:
    """[ours: reload; list_changed for a skill that came or went, or a new name or description]"""
    files = dict(TREE)
    catalog = await SkillCatalog.load(MemoryFiles(files))
    assert await catalog.reload() == ReloadResult()
    files["alpha/refs/guide.md"] = b"# Other\n"
    assert await catalog.reload() == ReloadResult(changed=(SkillPath("alpha"),))
    files["alpha/SKILL.md"] = skill_md("alpha", "Another description.")
    assert await catalog.reload() == ReloadResult(changed=(SkillPath("alpha"),), list_changed=True)
    files["new/SKILL.md"] = skill_md("new")
    del files["team/beta/SKILL.md"]
    assert await catalog.reload() == ReloadResult((SkillPath("new"),), (SkillPath("team/beta"),), (), True)


class FailingFiles:
    """A source that fails when told to."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.inner = MemoryFiles(files)
        self.fails = False
        self.reads = 0

    async def list_directory(self, path: str) -> Sequence[FoundFile]:
        if self.fails and path:
            raise StoreUnavailable("down")
        return await self.inner.list_directory(path)

    async def read(self, path: str) -> bytes:
        self.reads += 1
        return await self.inner.read(path)


async def test_a_failed_reload_leaves_the_old_catalogue_serving() -> None:
    """[ours: all or nothing]"""
    files = dict(TREE)
    source = FailingFiles(files)
    catalog = await SkillCatalog.load(source)
    before = catalog.entries
    source.fails = True
    files["new/SKILL.md"] = skill_md("new")
    with pytest.raises(StoreUnavailable):
        await catalog.reload()
    assert catalog.entries is before
    source.fails = False
    assert (await catalog.reload()).added == ("new",)


async def test_overlapping_reloads_run_one_after_another() -> None:
    """[ours]"""
    files = dict(TREE)
    catalog = await SkillCatalog.load(MemoryFiles(files))
    files["new/SKILL.md"] = skill_md("new")
    results = await asyncio.gather(*(catalog.reload() for _ in range(5)))
    assert sorted(result.added for result in results) == [(), (), (), (), ("new",)]


async def test_loading_reads_each_file_once() -> None:
    """[ours: nested files too]"""
    source = FailingFiles(dict(TREE))
    await SkillCatalog.load(source)
    served = [name for name in TREE if not name.endswith("/") and "/." not in f"/{name}" and name != "README.md"]
    assert source.reads == len(served)


async def test_paging_over_a_catalogue_that_changes_repeats_and_loses_no_unchanged_skill() -> None:
    """[ours: a source that changes between pages]"""
    files = {f"s{number:02}/SKILL.md": skill_md(f"s{number:02}") for number in range(20)}
    catalog = await SkillCatalog.load(MemoryFiles(files))
    first = await catalog.list(Page(7), ANYBODY)
    del files["s06/SKILL.md"], files["s10/SKILL.md"]
    files["a/SKILL.md"] = skill_md("a")
    files["s99/SKILL.md"] = skill_md("s99")
    await catalog.reload()
    seen, position = [entry.path for entry in first.entries], first.position
    while position is not None:
        page = await catalog.list(Page(7, len(seen), position), ANYBODY)
        seen += [entry.path for entry in page.entries]
        position = page.position
    assert seen == [f"s{number:02}" for number in range(20) if number != 10] + ["s99"]


async def test_a_catalogue_keeps_no_contents(tmp_path: Path) -> None:
    """[ours: it holds metadata only]"""
    body = b"x" * 20_000
    for number in range(100):
        folder = tmp_path / f"skill-{number:04}"
        folder.mkdir()
        (folder / "SKILL.md").write_bytes(skill_md(folder.name))
        for index in range(9):
            (folder / f"file-{index}.md").write_bytes(body)
    tracemalloc.start()
    catalog = await SkillCatalog.load(FolderFiles(tmp_path))
    held_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(catalog.entries) == 100
    assert held_bytes < 100 * 9 * len(body) / 8


async def test_a_catalogue_keeps_no_contents_of_what_it_refuses_either() -> None:
    """[ours: it holds metadata only] A kept exception would keep the frames that read the file."""

    class FreshFiles(MemoryFiles):
        async def read(self, path: str) -> bytes:
            return b"no frontmatter\n" + bytes(20_000)

    files = FreshFiles({f"s{number:03}/SKILL.md": b"" for number in range(100)})
    tracemalloc.start()
    catalog = await SkillCatalog.load(files, on_warning=lambda _: None)
    held_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert catalog.entries == ()
    assert held_bytes < 100 * 20_000 / 4


async def test_a_reload_reads_only_what_changed(tmp_path: Path) -> None:
    """[ours: nothing changed costs no reading]"""

    class CountingFiles(FolderFiles):
        reads: list[str]

        async def read(self, path: str) -> bytes:
            self.reads.append(path)
            return await super().read(path)

    source = CountingFiles(written(tmp_path, TREE))
    source.reads = []
    catalog = await SkillCatalog.load(source)
    before, source.reads = catalog.entries, []
    assert await catalog.reload() == ReloadResult()
    assert source.reads == []
    assert all(old is new for old, new in zip(before, catalog.entries, strict=True))
    (tmp_path / "outer/notes.txt").write_bytes(b"other\n")
    assert (await catalog.reload()).changed == ("outer",)
    assert source.reads == ["outer/notes.txt"]
