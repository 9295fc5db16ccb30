"""Skills given in code: what registration refuses, and how dynamic directories are merged."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.catalog.combined import CombinedProvider
from gateway.catalog.dynamic import DynamicSkill
from gateway.catalog.registered import RegisteredSkills
from gateway.catalog.static import RegistrationRefused, StaticSkill, TypedBytes
from gateway.errors import NotADirectory, NotServed, ProviderFault
from gateway.provider import Caller, Child, Content, DirectoryPage, Page
from gateway.skill.model import SkillPath
from tests.catalog.skills import skill_md

ANYBODY = Caller()
MD = skill_md("made").decode()


async def nothing(uri: str) -> bytes:
    raise NotServed(f"{uri} is not there")


def children(*names: str) -> Callable[[str, Page], object]:
    async def read_directory(uri: str, page: Page) -> DirectoryPage:
        first = int(page.position or 0)
        assert page.offset == first
        given = names[first : first + page.limit]
        following = first + len(given)
        position = str(following) if following < len(names) else None
        return DirectoryPage(tuple(Child(name, False, 1) for name in given), position)

    return read_directory


async def walk(skill: DynamicSkill, directory: str, limit: int) -> list[str]:
    names: list[str] = []
    page = Page(limit)
    while True:
        answer = await skill.read_directory(directory, page)
        assert len(answer.children) <= limit
        names += [child.name for child in answer.children]
        if answer.position is None:
            return names
        page = Page(limit, len(names), answer.position)


def test_a_static_skill_takes_bytes_text_typed_bytes_and_local_files(tmp_path: Path) -> None:
    """[ours: explicit skills]"""
    (tmp_path / "local.csv").write_bytes(b"a,b\n")
    skill = StaticSkill(
        "acme/made",
        {
            "SKILL.md": MD,
            "a.txt": b"bytes",
            "b.txt": "téxt",
            "c.data": TypedBytes(b"{}", "application/json"),
            "d/local.csv": tmp_path / "local.csv",
        },
        directories=["later"],
    )
    assert skill.entry.directories == ("later",)
    assert [(file.path, file.size, file.media_type) for file in skill.entry.files or ()] == [
        ("SKILL.md", len(MD), "text/markdown"),
        ("a.txt", 5, "text/plain"),
        ("b.txt", 5, "text/plain"),
        ("c.data", 2, "application/json"),
        ("d/local.csv", 4, "text/csv"),
    ]


@pytest.mark.parametrize(
    ("path", "files", "options", "says"),
    [
        ("made", {}, {}, "there is no SKILL.md"),
        ("made", {"SKILL.md": b"caf\xe9"}, {}, "no valid UTF-8"),
        ("made", {"SKILL.md": "# no frontmatter\n"}, {}, "made/SKILL.md:1:1"),
        ("other", {"SKILL.md": MD}, {}, "'made' in a directory 'other'"),
        ("made", {"SKILL.md": MD, "a.png": b"\x89PNG\xff"}, {}, "a.png is binary"),
        ("made", {"SKILL.md": MD, "a.txt": TypedBytes(b"ascii", "application/octet-stream")}, {}, "a.txt is binary"),
        ("made", {"SKILL.md": MD, "../x": b""}, {}, "'..' segment"),
        ("made", {"SKILL.md": MD, "a": b"", "a/b": b""}, {}, "a"),
        ("made", {"SKILL.md": MD, "a": b""}, {"directories": ["a"]}, "a"),
        ("made", {"SKILL.md": MD}, {"directories": ["a//b"]}, "empty segment"),
    ],
)
def test_a_static_skill_that_breaks_a_rule_is_refused_at_registration(
    path: str, files: dict[str, bytes], options: dict[str, list[str]], says: str
) -> None:
    """[ours: binary; section 5: entries]"""
    with pytest.raises(RegistrationRefused, match="made") as refused:
        StaticSkill(path, files, **options)
    assert says in str(refused.value)


def test_binary_is_admitted_where_the_registration_says_so() -> None:
    """[ours: allow_binary; SKILL.md stays text]"""
    files = {"SKILL.md": MD, "a.bin": b"ascii"}
    assert StaticSkill("made", files, allow_binary=True).entry.files
    with pytest.raises(RegistrationRefused, match="UTF-8"):
        StaticSkill("made", {"SKILL.md": MD.encode() + b"\xff"}, allow_binary=True)


def test_nested_skills_publish_the_same_files_or_none_is_registered() -> None:
    """[ours: nested skills]"""
    inner_md = skill_md("inner")
    inner = StaticSkill("outer/inner", {"SKILL.md": inner_md, "x.md": b"x"})
    outer = StaticSkill("outer", {"SKILL.md": skill_md("outer"), "inner/SKILL.md": inner_md, "inner/x.md": b"x"})
    assert RegisteredSkills([inner, outer]).namespaces == ("outer",)
    for files in (
        {"SKILL.md": skill_md("outer"), "inner/SKILL.md": inner_md},
        {"SKILL.md": skill_md("outer"), "inner/SKILL.md": inner_md, "inner/x.md": b"y"},
        {"SKILL.md": skill_md("outer"), "inner/SKILL.md": inner_md, "inner/x.md": b"x", "inner/more.md": b""},
    ):
        with pytest.raises(RegistrationRefused, match=r"outer/inner lies inside outer .* inner/"):
            RegisteredSkills([StaticSkill("outer", files), inner])


def test_static_and_dynamic_skills_are_never_nested_in_each_other() -> None:
    """[ours: mixing; dynamic skills live in disjoint namespaces]"""
    static = StaticSkill("made", {"SKILL.md": MD})
    inner_md = skill_md("inner")
    inner = DynamicSkill("made/inner", inner_md, read_resource=nothing)
    outer = DynamicSkill("made", MD, read_resource=nothing)
    for pair, says in (
        ((static, inner), "one of them is dynamic"),
        ((outer, StaticSkill("made/x/inner", {"SKILL.md": inner_md})), "one of them is dynamic"),
        ((outer, inner), "both are dynamic"),
    ):
        with pytest.raises(RegistrationRefused, match=rf"made/.*inner lies inside made, .*{says}"):
            RegisteredSkills(pair)
    with pytest.raises(RegistrationRefused, match="made is registered twice"):
        RegisteredSkills([static, outer])


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
async def test_managed_children_come_first_and_once_at_any_page_size(limit: int) -> None:
    """[ours: the adapter adds SKILL.md and declared directories; a stable order over cursors]"""
    skill = DynamicSkill(
        "made",
        MD,
        read_resource=nothing,
        read_directory=children("zeta", "beta", "Alpha"),  # type: ignore[arg-type]
        directories=["data/2026", "empty"],
    )
    assert await walk(skill, "", limit) == ["SKILL.md", "data", "empty", "zeta", "beta", "Alpha"]
    assert await walk(skill, "data", limit) == ["2026", "zeta", "beta", "Alpha"]


async def test_without_a_callback_only_what_is_declared_is_a_directory() -> None:
    """[ours: explicit empty directories]"""
    skill = DynamicSkill("made", MD, read_resource=nothing, directories=["data/2026"])
    assert await walk(skill, "", 1) == ["SKILL.md", "data"]
    assert await walk(skill, "data/2026", 5) == []
    with pytest.raises(NotADirectory):
        await skill.read_directory("other", Page(5))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "returned NoneType"),
        (DirectoryPage((Child("SKILL.md", False, 1),)), "'SKILL.md', which is managed here"),
        (DirectoryPage((Child("data", True),)), "'data', which is managed here"),
        (DirectoryPage(tuple(Child(f"c{n}", True) for n in range(9))), "returned 9 children"),
    ],
)
async def test_a_callback_that_answers_wrongly_is_a_fault_of_ours(answer: object, says: str) -> None:
    """[ours: fails closed]"""

    async def read_directory(uri: str, page: Page) -> object:
        return answer

    skill = DynamicSkill(
        "made",
        MD,
        read_resource=nothing,
        read_directory=read_directory,  # type: ignore[arg-type]
        directories=["data"],
    )
    with pytest.raises(ProviderFault, match=says):
        await skill.read_directory("", Page(5))


async def test_a_dynamic_file_is_what_the_callback_makes_of_its_canonical_uri() -> None:
    """[ours: read_resource(uri)]"""
    asked: list[str] = []

    async def read_resource(uri: str) -> bytes | str | Content:
        asked.append(uri)
        if uri.endswith("/typed"):
            return Content(b"{}", "application/json")
        return "made\n" if uri.endswith(".txt") else b"\x00\xff"

    provider = RegisteredSkills([DynamicSkill("made", MD, read_resource=read_resource, allow_binary=True)])
    path = SkillPath("made")
    assert await provider.read(path, "SKILL.md", ANYBODY) == Content(MD.encode(), "text/markdown", allow_binary=True)
    assert await provider.read(path, "a b.txt", ANYBODY) == Content(b"made\n", "text/plain", allow_binary=True)
    assert (await provider.read(path, "x", ANYBODY)).media_type == "application/octet-stream"
    assert await provider.read(path, "typed", ANYBODY) == Content(b"{}", "application/json")
    assert asked == ["skill://made/a%20b.txt", "skill://made/x", "skill://made/typed"]


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
async def test_several_sources_are_listed_one_after_another_each_skill_once(limit: int) -> None:
    """[ours: several providers on one server]"""

    def registered(*names: str) -> RegisteredSkills:
        return RegisteredSkills([StaticSkill(name, {"SKILL.md": skill_md(name.split("/")[-1])}) for name in names])

    combined = CombinedProvider([registered("b", "c/d"), registered(), registered("a")])
    seen: list[str] = []
    page = Page(limit)
    while True:
        answer = await combined.list(page, ANYBODY)
        seen += [entry.path for entry in answer.entries]
        if answer.position is None:
            break
        page = Page(limit, len(seen), answer.position)
    assert seen == ["b", "c/d", "a"]
    assert await combined.get(SkillPath("a"), ANYBODY) is not None
    assert await combined.get(SkillPath("c"), ANYBODY) is None


def test_sources_whose_namespaces_meet_are_refused_at_the_start() -> None:
    """[ours: disjoint namespaces, with both names in the message]"""

    def registered(name: str) -> RegisteredSkills:
        return RegisteredSkills([StaticSkill(name, {"SKILL.md": skill_md(name.split("/")[-1])})])

    for one, two in (("a", "a"), ("a", "a/b"), ("a/b/c", "a/b")):
        with pytest.raises(RegistrationRefused, match=rf"'{one}' and '{two}'"):
            CombinedProvider([registered(one), registered(two)])
    assert CombinedProvider([registered("a"), registered("ab")]).namespaces == ("a", "ab")
