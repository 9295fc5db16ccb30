"""Files on disk under `--fix`: replaced as a whole, and only where they may be."""

import os
from pathlib import Path

import pytest

from gateway.cli.lint_fix import Change, fix_names, fix_texts
from gateway.cli.lint_folder import LintFolder
from gateway.cli.terminal import CommandFailed
from tests.lint.trees import skill, write_tree

CRLF = skill().replace("\n", "\r\n")
SAID = "changed CRLF to LF"


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_but_the_skill_md_is_touched(tmp_path: Path) -> None:
    """[ours] No other file, no junk, nothing hidden, nothing passed over; and no file is left behind."""
    others = {"a/x.md": CRLF, "a/node_modules/m/SKILL.md": CRLF, "a/.x/SKILL.md": CRLF, "draft/SKILL.md": CRLF}
    write_tree(tmp_path, {"a/SKILL.md": CRLF, **others})
    assert list(fix_texts(LintFolder.at(tmp_path), ("draft",))) == [Change("a/SKILL.md", SAID)]
    assert snapshot(tmp_path) == {path: CRLF.encode() for path in others} | {"a/SKILL.md": skill().encode()}


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """[ours] Neither a link to a file nor one to a folder leads anywhere."""
    outside = write_tree(tmp_path / "outside", {"SKILL.md": CRLF, "a/SKILL.md": CRLF})
    skills = write_tree(tmp_path / "skills", {"a/SKILL.md": f"->{outside}/SKILL.md", "b": f"->{outside}/a"})
    assert list(fix_texts(LintFolder.at(skills), ())) == []
    assert set(snapshot(outside).values()) == {CRLF.encode()}


def test_a_folder_that_becomes_a_link_meanwhile_is_not_followed(tmp_path: Path) -> None:
    """[ours] The folders are opened again step by step when it is written."""
    outside = write_tree(tmp_path / "outside", {"SKILL.md": CRLF})
    skills = write_tree(tmp_path / "skills", {"a/SKILL.md": CRLF, "b/SKILL.md": CRLF})
    mending = fix_texts(LintFolder.at(skills), ())
    next(mending)
    for name in ("a", "b"):
        (skills / name / "SKILL.md").unlink()
        (skills / name).rmdir()
        (skills / name).symlink_to(outside)
    with pytest.raises(CommandFailed, match="cannot be mended"):
        next(mending)
    assert snapshot(outside) == {"SKILL.md": CRLF.encode()}


def test_a_file_that_was_written_meanwhile_stays_as_it_is(tmp_path: Path) -> None:
    """[ours] Somebody else's change is not lost."""
    write_tree(tmp_path, {"a/SKILL.md": CRLF, "b/SKILL.md": CRLF})
    mending = fix_texts(LintFolder.at(tmp_path), ())
    first = next(mending).path
    other = "b/SKILL.md" if first == "a/SKILL.md" else "a/SKILL.md"
    (tmp_path / other).write_bytes(CRLF.encode() + b"More.\r\n")
    with pytest.raises(CommandFailed, match="was written while it was mended"):
        next(mending)
    assert snapshot(tmp_path) == {first: skill().encode(), other: CRLF.encode() + b"More.\r\n"}


def test_the_mode_stays_and_other_names_of_the_file_keep_its_bytes(tmp_path: Path) -> None:
    """[POSIX rename]"""
    write_tree(tmp_path, {"a/SKILL.md": CRLF})
    (tmp_path / "a/SKILL.md").chmod(0o640)
    os.link(tmp_path / "a/SKILL.md", tmp_path / "other-name")
    assert len(list(fix_texts(LintFolder.at(tmp_path), ()))) == 1
    assert (tmp_path / "a/SKILL.md").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "other-name").read_bytes() == CRLF.encode()


def test_nested_folders_are_renamed_from_the_inside_out(tmp_path: Path) -> None:
    """[ours]"""
    write_tree(tmp_path, {"x/SKILL.md": skill(name="a"), "x/y/SKILL.md": skill(name="b")})
    said = [Change("x/y", "renamed to b"), Change("x", "renamed to a")]
    assert list(fix_names(LintFolder.at(tmp_path), ())) == said
    assert set(snapshot(tmp_path)) == {"a/SKILL.md", "a/b/SKILL.md"}


@pytest.mark.parametrize("name", ["A", "../b", "a/b", "''", "12", "x-"])
def test_a_name_that_no_folder_may_have_renames_nothing(tmp_path: Path, name: str) -> None:
    """[ours]"""
    write_tree(tmp_path, {"x/SKILL.md": skill(name=name)})
    assert list(fix_names(LintFolder.at(tmp_path), ())) == []
    assert set(snapshot(tmp_path)) == {"x/SKILL.md"}


def test_an_empty_folder_of_that_name_is_not_replaced(tmp_path: Path) -> None:
    """[POSIX rename] It would be."""
    write_tree(tmp_path, {"x/SKILL.md": skill()})
    (tmp_path / "a").mkdir()
    said = "was not renamed to a: there is something of that name already"
    assert list(fix_names(LintFolder.at(tmp_path), ())) == [Change("x", said)]


def test_the_folder_that_was_named_is_not_renamed(tmp_path: Path) -> None:
    """[ours] Who named it would not find it again."""
    write_tree(tmp_path, {"x/SKILL.md": skill()})
    said = "was not renamed to a: it is the folder that you named; rename it yourself"
    assert list(fix_names(LintFolder.at(tmp_path / "x"), ())) == [Change("x", said)]
