"""The tree provider on every store: what lies in the bucket is what is listed, got and read."""

import unicodedata
from itertools import product

import pytest

from gateway.errors import NotServed
from gateway.local.memory import MemoryStore
from gateway.provider import Content, DirectoryProvider, Page
from gateway.skill.media import media_type_of
from gateway.skill.model import Problem, SkillEntry, SkillPath
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider
from tests.stores import Bucket
from tests.tree.trees import ANYONE, entries_of, entry_of, provider_of, skill_md

NFC, NFD = "é.txt", unicodedata.normalize("NFD", "é.txt")

FLAT = {"SKILL.md": skill_md("flat", "# Flat\n"), "scripts/run.py": b"print('x')\n"}
REFUNDS = {"SKILL.md": skill_md("refunds"), "assets/policy.md": b"# Policy\n", "assets/deep/er/note": b"plain\n"}
INNER = {"SKILL.md": skill_md("inner"), "data.json": b"{}\n"}
OUTER = {"SKILL.md": skill_md("outer"), "z.txt": b"", **{f"more/inner/{name}": data for name, data in INNER.items()}}
EMPTY = {"SKILL.md": skill_md("empty")}
ODD = {"SKILL.md": skill_md("odd-names")} | {
    name: f"this is {name}".encode()
    for name in ("with space.txt", "50%.txt", "#1.txt", "what?.txt", NFC, NFD, "😀.txt", "[x].txt", "a+b.txt",
                 "a%2Fb.txt", "x&y=z.txt", "It's (1).txt", "case/A.txt", "case/a.txt", "scripts.txt", "scripts/-.py")
}  # fmt: skip
TWIN = {"SKILL.md": skill_md("flat-twin")}

SKILLS = {
    "flat": FLAT,
    "flat-twin": TWIN,
    "acme/billing/refunds": REFUNDS,
    "outer": OUTER,
    "outer/more/inner": INNER,
    "empty": EMPTY,
    "odd-names": ODD,
}
BESIDE = {
    "skills/README.md": b"loose",
    "skills/acme/notes.txt": b"loose",
    "skills/acme/billing/.hidden/SKILL.md": skill_md("hidden"),
    "skills/zeta/no-skill.md": b"loose",
    "skills/flat/.DS_Store": b"\0\0\0",
    "skills/flat/.git/config": b"hidden",
    "skills/flat/scripts/.cache/x.py": b"hidden",
    "skills/empty/none/": b"",
    "skills/acme/void/": b"",
    "skills-old/gone/SKILL.md": skill_md("gone"),
    "SKILL.md": skill_md("above"),
}
OBJECTS = BESIDE | {f"skills/{path}/{name}": data for path, files in SKILLS.items() for name, data in files.items()}

ENTRIES: dict[str, SkillEntry] = {
    f"hub/{path}": entry_of(f"hub/{path}", files, ("none",) if path == "empty" else ())
    for path, files in SKILLS.items()
}

PAGE_SIZES = (1, 2, 7, 50, 1000)
LIST_KEYS = (1, 2, 3, 7, 500)


def options_of(list_keys: int = 500, max_list_pages: int = 20, freshness_s: float = 0) -> TreeOptions:
    return TreeOptions("skills/", ("hub",), list_keys=list_keys, max_list_pages=max_list_pages, freshness_s=freshness_s)


async def fill(bucket: Bucket) -> None:
    # Empty ones last: botocore's blocking client misreads the answer that follows one on the same connection.
    for number, (key, data) in enumerate(sorted(OBJECTS.items(), key=lambda item: not item[1])):
        media_type = media_type_of(key, None, True)  # SeaweedFS makes one up where there is none
        await bucket.put(key, data, media_type, checksum=number % 2 == 0 and bool(data))


def by_path(entries: list[SkillEntry]) -> dict[str, SkillEntry]:
    assert len({entry.path for entry in entries}) == len(entries)
    return {entry.path: entry for entry in entries}


async def test_each_skill_is_listed_once_with_its_complete_manifest_at_any_page_size(bucket: Bucket) -> None:
    """[SEP-2640 list] [ours: provider contract]"""
    await fill(bucket)
    problems: list[Problem] = []
    async with bucket.open() as store:
        provider = provider_of(store, problems, options_of())
        found = {limit: by_path(await entries_of(provider, limit)) for limit in PAGE_SIZES}
    assert found == dict.fromkeys(PAGE_SIZES, ENTRIES)
    assert problems == []


async def test_skills_that_reach_over_pages_of_the_store_are_the_same(bucket: Bucket) -> None:
    """[S3 ListObjectsV2: a page ends anywhere]"""
    await fill(bucket)
    async with bucket.open() as store:
        for list_keys in LIST_KEYS:
            provider = provider_of(store, None, options_of(list_keys))
            assert by_path(await entries_of(provider, 7)) == ENTRIES, list_keys


@pytest.mark.parametrize(("limit", "list_keys", "max_pages"), [*product(PAGE_SIZES, LIST_KEYS, (1, 2, 20))])
async def test_no_mix_of_page_sizes_and_bounds_changes_what_is_listed(
    limit: int, list_keys: int, max_pages: int
) -> None:
    """[ours: provider contract]"""
    provider = provider_of(MemoryStore(OBJECTS), None, options_of(list_keys, max_pages))
    assert by_path(await entries_of(provider, limit)) == ENTRIES


async def test_get_gives_what_the_listing_gave_and_none_where_no_skill_is(bucket: Bucket) -> None:
    """[SEP-2640 get]"""
    await fill(bucket)
    nothing = ("flat", "hub", "hub/acme", "hub/acme/billing", "hub/zeta", "hub/acme/billing/.hidden",
               "hub/flat/scripts", "hub/flat/SKILL.md", "hub/flat-",
               "hub/fla", "hub/gone", "hub/acme/void", "hub/empty/none", "bub/flat",
               "hub/no/such", "hub/flat/no")  # fmt: skip
    async with bucket.open() as store:
        provider = provider_of(store, None, options_of())
        found = {path: await provider.get(SkillPath(path), ANYONE) for path in (*ENTRIES, *nothing)}
    assert found == {**ENTRIES, **dict.fromkeys(nothing)}


async def test_every_file_of_a_manifest_reads_as_its_bytes_also_through_the_enclosing_skill(bucket: Bucket) -> None:
    """[SEP-2640 reading] [SEP-2640 nested skills]"""
    await fill(bucket)
    async with bucket.open() as store:
        provider = provider_of(store, None, options_of(freshness_s=60))
        found = {
            (entry.path, file.path): await provider.read(entry.path, file.path, ANYONE)
            for entry in ENTRIES.values()
            for file in entry.files or ()
        }
    assert found == {
        (entry.path, file.path): Content(SKILLS[entry.path.removeprefix("hub/")][file.path], file.media_type)
        for entry in ENTRIES.values()
        for file in entry.files or ()
    }


@pytest.mark.parametrize(
    "file_path",
    ["no.txt", "scripts", ".DS_Store", ".git/config", "scripts/.cache/x.py", "../outer/z.txt", "../../SKILL.md",
     "scripts/../SKILL.md", "", "SKILL.md/", "/SKILL.md", "scripts//run.py", "skill.md", "scripts\\run.py"],
)  # fmt: skip
async def test_a_path_outside_the_manifest_is_not_read(file_path: str) -> None:
    """[SEP-2640 reading: only published files]"""
    provider = provider_of(MemoryStore(OBJECTS), None, options_of())
    with pytest.raises(NotServed):
        await provider.read(SkillPath("hub/flat"), file_path, ANYONE)


@pytest.mark.parametrize("path", ["hub/zeta", "hub/acme", "flat", "hub", "hub/flat/scripts", "hub/..", "", "hub/.git"])
async def test_a_path_that_is_no_skill_reads_nothing(path: str) -> None:
    """[ours: provider contract]"""
    provider = provider_of(MemoryStore(OBJECTS), None, options_of())
    with pytest.raises(NotServed):
        await provider.read(SkillPath(path), "no-skill.md", ANYONE)


async def test_an_empty_prefix_lists_one_empty_last_page(bucket: Bucket) -> None:
    """[SEP-2640 list: nextCursor is absent on the last page]"""
    await bucket.put("elsewhere/a/SKILL.md", skill_md("a"))
    async with bucket.open() as store:
        provider = provider_of(store, None, options_of())
        page = await provider.list(Page(limit=50), ANYONE)
    assert (page.entries, page.position) == ((), None)


async def test_the_survey_gives_every_entry_once_and_the_problems_meanwhile() -> None:
    """[ours: check and doctor]"""
    problems: list[Problem] = []
    store = MemoryStore(OBJECTS | {"skills/bad/SKILL.md": b"no frontmatter"})
    provider = provider_of(store, problems, options_of(list_keys=3))
    assert by_path([entry async for entry in provider.survey()]) == ENTRIES
    assert [problem.where for problem in problems] == ["hub/bad"]


def test_the_tree_provider_keeps_both_ports() -> None:
    """[ours: provider contract]"""
    provider = TreeProvider(MemoryStore(), TreeOptions(allow_binary=True))
    assert isinstance(provider, DirectoryProvider)
    assert (provider.namespaces, provider.serves_dynamic) == (("",), True)
    assert TreeProvider(MemoryStore(), TreeOptions(mount=("a", "b"))).namespaces == ("a/b",)
