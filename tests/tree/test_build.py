"""Which skills are served, and what is said of those that are not."""

import pytest

from gateway.local.memory import MemoryStore
from gateway.skill.model import MAX_SKILL_SEGMENTS, Problem, SkillPath
from gateway.tree.options import TreeOptions
from tests.tree.trees import ANYONE, entries_of, entry_of, paths_of, provider_of, skill_md

GOOD = {"SKILL.md": skill_md("good")}
TEXT_ONLY = TreeOptions(freshness_s=0)
BINARIES = TreeOptions(freshness_s=0, allow_binary=True)


async def outcome(objects: dict[str, bytes], options: TreeOptions = TEXT_ONLY) -> tuple[list[str], list[str]]:
    """Paths served, and `where: code` of each problem."""
    problems: list[Problem] = []
    served = await paths_of(provider_of(MemoryStore(objects), problems, options))
    return served, [f"{problem.where}: {problem.code}" for problem in problems]


REFUSED = {
    "empty": (b"", "no_frontmatter"),
    "no frontmatter": (b"# Title\n", "no_frontmatter"),
    "not closed": (b"---\nname: bad\n", "unclosed_frontmatter"),
    "broken": (b"---\nname: [bad\ndescription: D.\n---\n", "bad_flow"),
    "UTF-16": ("---\nname: bad\ndescription: D.\n---\n".encode("utf-16"), "no_frontmatter"),
    "Latin-1 in it": ("---\nname: bad\ndescription: é\n---\n".encode("latin-1"), "not_utf8"),
    "Latin-1 below it": (skill_md("bad") + "é".encode("latin-1"), "not_utf8"),
    "wrong name": (skill_md("other"), "name_mismatch"),
    "upper case": (skill_md("Bad"), "name_invalid"),
    "no name": (b"---\ndescription: D.\n---\n", "name_missing"),
    "no description": (b"---\nname: bad\n---\n", "description_missing"),
    "blank description": (b'---\nname: bad\ndescription: " "\n---\n', "description_blank"),
    "metadata": (b"---\nname: bad\ndescription: D.\nmetadata: {a: 1}\n---\n", "metadata_not_text"),
}


@pytest.mark.parametrize("options", [TEXT_ONLY, BINARIES])
@pytest.mark.parametrize("name", REFUSED)
async def test_a_skill_that_breaks_a_rule_is_left_out_and_named_and_the_others_are_served(
    name: str, options: TreeOptions
) -> None:
    """[SEP-2640 skill entries] [ours: an invalid skill is never served]"""
    data, code = REFUSED[name]
    objects = {
        "good/SKILL.md": GOOD["SKILL.md"],
        "bad/SKILL.md": data,
        "bad/x.txt": b"x",
        "zed/SKILL.md": skill_md("zed"),
    }
    assert await outcome(objects, options) == (["good", "zed"], [f"bad: {code}"])


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf" + skill_md("a"), skill_md("a").replace(b"\n", b"\r\n")])
async def test_a_bom_and_crlf_are_served_and_the_bytes_stay_as_they_are(data: bytes) -> None:
    """[ours, frontmatter]"""
    provider = provider_of(MemoryStore({"a/SKILL.md": data}))
    assert await entries_of(provider) == [entry_of("a", {"SKILL.md": data})]
    assert (await provider.read(SkillPath("a"), "SKILL.md", ANYONE)).data == data


async def test_a_frontmatter_problem_tells_line_and_column() -> None:
    """[ours: errors name the place]"""
    problems: list[Problem] = []
    data = b"---\nname: bad\ndescription: a: b\n---\n"
    assert await paths_of(provider_of(MemoryStore({"bad/SKILL.md": data}), problems)) == []
    assert [(problem.where, problem.line) for problem in problems] == [("bad", 3)]
    assert problems[0].column > 0


async def test_a_problem_is_told_once_for_as_long_as_it_stays_the_same() -> None:
    """[ours]"""
    problems: list[Problem] = []
    store = MemoryStore({"bad/SKILL.md": b""})
    provider = provider_of(store, problems)
    for data in (b"", b"", skill_md("other"), skill_md("other")):
        store.store("bad/SKILL.md", data)
        await paths_of(provider)
    assert [problem.code for problem in problems] == ["no_frontmatter", "name_mismatch"]
    assert [problem.code for problem in provider.problems.all()] == ["name_mismatch"]
    store.store("bad/SKILL.md", skill_md("bad"))
    assert await paths_of(provider) == ["bad"]
    assert provider.problems.all() == ()


async def test_a_skill_in_a_refused_one_is_served_by_itself() -> None:
    """[SEP-2640 nested skills]"""
    objects = {"out/SKILL.md": b"broken", "out/in/SKILL.md": skill_md("in"), "out/in/x": b"x", "out/y": b"y"}
    assert await outcome(objects) == (["out/in"], ["out: no_frontmatter"])
    provider = provider_of(MemoryStore(objects))
    assert await provider.get(SkillPath("out/in"), ANYONE) == entry_of(
        "out/in", {"SKILL.md": skill_md("in"), "x": b"x"}
    )


async def test_a_refused_skill_in_another_is_files_of_that_one() -> None:
    """[SEP-2640 nested skills]"""
    files = {"SKILL.md": skill_md("out"), "in/SKILL.md": skill_md("other")}
    provider = provider_of(MemoryStore({f"out/{name}": data for name, data in files.items()}))
    assert await entries_of(provider) == [entry_of("out", files)]


async def test_a_skill_as_deep_as_one_may_lie_is_served_and_a_deeper_one_is_named() -> None:
    """[ours: what is listed can be asked for]"""
    deep = "/".join("d" * (MAX_SKILL_SEGMENTS - 1))
    objects = {f"{deep}/a/SKILL.md": skill_md("a"), f"{deep}/d/b/SKILL.md": skill_md("b")}
    assert await outcome(objects) == ([f"{deep}/a"], [f"{deep}/d/b: too_deep"])
    below = provider_of(MemoryStore(objects), options=TreeOptions(mount=("hub",), freshness_s=0))
    assert await paths_of(below) == []


BINARY = {
    "png": b"\x89PNG\r\n\x1a\n\0\0",
    "latin-1": "é".encode("latin-1"),
    "cut": "é".encode()[:1],
    "late": b"x" * 20_000 + b"\xff",
}


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("name", BINARY)
async def test_a_binary_file_refuses_exactly_the_skills_it_lies_in(name: str, checksum: bool) -> None:
    """[ours: binary files are refused unless allowed]"""
    store = MemoryStore(keep_checksums=checksum)
    for skill in ("a", "b", "b/in", "b/out", "c"):
        store.store(f"{skill}/SKILL.md", skill_md(skill.rpartition("/")[2]))
        store.store(f"{skill}/text.txt", "é".encode() * 9000)
    store.store("b/in/file", BINARY[name])
    problems: list[Problem] = []
    assert await paths_of(provider_of(store, problems)) == ["a", "b/out", "c"]
    assert [(problem.where, problem.code) for problem in problems] == [("b", "binary_file"), ("b/in", "binary_file")]
    assert "in/file is binary" in problems[0].detail
    assert await paths_of(provider_of(store, options=BINARIES)) == ["a", "b", "b/in", "b/out", "c"]


async def test_ascii_that_is_declared_as_bytes_or_an_image_follows_the_name_and_the_type() -> None:
    """[ours: a binary media type is binary]"""
    store = MemoryStore({"a/SKILL.md": skill_md("a"), "b/SKILL.md": skill_md("b")})
    store.store("a/notes.txt", b"ascii", media_type="application/octet-stream")
    store.store("b/notes.txt", b"ascii", media_type="image/png")
    assert await paths_of(provider_of(store)) == ["a"]


async def test_a_file_without_a_digest_within_the_bound_makes_its_whole_group_dynamic() -> None:
    """[ours: a group is static or dynamic as a whole]"""
    store = MemoryStore({"a/SKILL.md": skill_md("a"), "a/n/SKILL.md": skill_md("n"), "b/SKILL.md": skill_md("b")})
    store.store("a/big.txt", b"x" * 101, checksum=False)
    store.store("b/big.txt", b"x" * 101, checksum=True)
    problems: list[Problem] = []
    options = TreeOptions(max_hash_bytes=100, probe_bytes=16, freshness_s=0)
    assert await entries_of(provider_of(store, problems, options)) == [
        entry_of("a", None),
        entry_of("a/n", None),
        entry_of("b", {"SKILL.md": skill_md("b"), "big.txt": b"x" * 101}),
    ]
    assert [(problem.where, problem.code) for problem in problems] == [("a", "dynamic"), ("a/n", "dynamic")]
    assert "big.txt has 101 bytes" in problems[0].detail


async def test_a_skill_past_the_recommended_size_is_served_with_a_warning() -> None:
    """[SEP-2640: 512 files are a recommendation]"""
    objects = {"a/SKILL.md": skill_md("a")} | {f"a/{number:03}.txt": b"x" for number in range(512)}
    assert await outcome(objects) == (["a"], ["a: many_files"])
