"""Keys of the bucket: which are places of a skill, and what is said of the others."""

import pytest

from gateway.local.memory import MemoryStore
from gateway.objects import ListedObject, ObjectKey
from gateway.skill.model import Problem, SkillPath
from gateway.skill.uri import MAX_URI_BYTES, print_uri
from gateway.tree.keys import KeyMap, Located, is_hidden
from tests.stores import Bucket
from tests.tree.trees import ANYONE, entries_of, entry_of, paths_of, provider_of, skill_md

KEYS = KeyMap("skills/", ("hub",))
SKILL = {"SKILL.md": skill_md("a"), "fit.txt": b"fit"}


def listed(key: str, size: int = 1) -> ListedObject:
    return ListedObject(ObjectKey(key), size, "etag")


@pytest.mark.parametrize("name", ["f", "with space", "%2F", "#", "?", "é", "😀", "[x]", "+", "~", "a\u00a0b", "…"])
def test_a_fit_key_is_a_place_and_the_place_is_that_key(name: str) -> None:
    """[ours: one to one]"""
    item = listed(f"skills/acme/{name}")
    assert KEYS.locate(item) == Located(("acme", name), item)
    assert KEYS.key_of(("acme", name)) == item.key


def test_a_key_that_ends_in_a_slash_marks_a_directory() -> None:
    """[S3 "Organizing objects using folders"]"""
    item = listed("skills/acme/void/", size=0)
    assert KEYS.locate(item) == Located(("acme", "void"), item, is_directory=True)


@pytest.mark.parametrize(
    "key", ["skills/", "skills/.git/x", "skills/a/.b", "skills/a/.b/c", "skills/.x/", "skills/..."]
)
def test_hidden_keys_and_the_prefix_itself_are_passed_over(key: str) -> None:
    """[ours]"""
    assert KEYS.locate(listed(key, size=0)) is None


UNSERVABLE = (
    "a//x", "/a", "a/../b", "a/./b", "..", ".", "a/..", "a\\b", "nl\nhere", "nul\0here", "tab\there", "cr\rhere",
    "c\x01d", "del\x7f", "c1\x85", "lone\ud800", "a//", "/",
)  # fmt: skip


@pytest.mark.parametrize("name", UNSERVABLE)
def test_a_key_that_no_uri_names_is_a_problem_that_names_it(name: str) -> None:
    """[ours: never served; each is named]"""
    problem = KEYS.locate(listed(f"skills/{name}", size=0))
    assert isinstance(problem, Problem)
    assert (problem.where, problem.code) == (f"skills/{name}", "unservable_key")


def test_a_directory_marker_with_bytes_is_a_problem() -> None:
    """[ours: a zero-byte key ending in /]"""
    problem = KEYS.locate(listed("skills/a/dir/", size=4))
    assert isinstance(problem, Problem)
    assert problem.detail == "The key ends in '/' and yet holds 4 bytes; it is not served"


def test_a_key_is_served_up_to_the_longest_uri_and_not_one_byte_longer() -> None:
    """[ours: 2 KiB]"""
    room = MAX_URI_BYTES - len(print_uri(("hub", "a", "")))
    fits, too_long = listed("skills/a/" + "x" * room), listed("skills/a/" + "x" * (room + 1))
    assert isinstance(KEYS.locate(fits), Located)
    assert isinstance(KEYS.locate(too_long), Problem)
    encoded = listed("skills/a/" + "é" * (room // 6 + 1))
    assert isinstance(KEYS.locate(encoded), Problem)


def test_a_skill_md_at_the_root_of_the_prefix_is_named_as_no_skill() -> None:
    """[ours: no skill dropped in silence]"""
    problem = KEYS.locate(listed("skills/SKILL.md"))
    assert isinstance(problem, Problem)
    assert (problem.where, problem.code) == ("skills/SKILL.md", "skill_at_root")


def test_one_dot_at_the_start_of_any_segment_hides() -> None:
    """[ours]"""
    assert [is_hidden(segments) for segments in (("a", ".b", "c"), ("..",), ("a.b",), ("a", "b."))] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("name", UNSERVABLE)
async def test_a_skill_with_an_odd_key_is_served_without_it_and_the_key_is_named(name: str) -> None:
    """[S3 keys] [ours]"""
    problems: list[Problem] = []
    odd = f"a/{name}"
    provider = provider_of(MemoryStore({f"a/{file}": data for file, data in SKILL.items()} | {odd: b""}), problems)
    assert await entries_of(provider) == [entry_of("a", SKILL)]
    assert await provider.get(SkillPath("a"), ANYONE) == entry_of("a", SKILL)
    assert [(problem.where, problem.code) for problem in problems] == [(odd, "unservable_key")]


REAL_ODD_KEYS = ("a/x//y", "a/back\\slash", "a/nl\nhere", "a/tab\there", "a/c\x01d", "a/del\x7f")


async def test_no_odd_key_of_a_real_store_is_served_and_none_hides_the_skill(bucket: Bucket) -> None:
    """[S3 keys: what each store makes of them]"""
    changed = {
        "seaweedfs": {"a/x/y": b"odd", "a/back/slash": b"odd"},
        "juicefs": {"a/x/y": b"odd"},
    }.get(bucket.kind, {})
    refused = {"moto": {"a/nl\nhere"}}.get(bucket.kind, set[str]())
    for name, data in SKILL.items():
        await bucket.put(f"a/{name}", data, "text/plain")
    for key in REAL_ODD_KEYS:
        if key not in refused:
            await bucket.put(key, b"odd", "text/plain")
    problems: list[Problem] = []
    async with bucket.open() as store:
        found = await entries_of(provider_of(store, problems))
    expected = SKILL | {key.removeprefix("a/"): data for key, data in changed.items()}
    assert [{file.path: file.size for file in entry.files or ()} for entry in found] == [
        {name: len(data) for name, data in expected.items()}
    ]
    kept = set(REAL_ODD_KEYS) - refused
    named = {problem.where for problem in problems}
    assert named <= kept
    assert len(named) == len(kept) - len(changed)


async def test_a_name_that_is_a_file_and_a_directory_is_served_as_a_directory_and_named() -> None:
    """[S3: keys are flat] [SEP-2640: a URI is one resource]"""
    problems: list[Problem] = []
    files = {"SKILL.md": skill_md("a"), "x/y": b"y", "fit.txt": b"fit"}
    store = MemoryStore({f"a/{name}": data for name, data in files.items()} | {"a/x": b"x", "a/m": b"m", "a/m/": b""})
    assert await entries_of(provider_of(store, problems)) == [entry_of("a", files, ("m",))]
    assert [(problem.where, problem.code) for problem in problems] == [
        ("a/m", "file_and_directory"),
        ("a/x", "file_and_directory"),
    ]


async def test_a_skill_md_that_is_a_directory_too_makes_no_skill_and_the_nested_one_is_served() -> None:
    """[S3: keys are flat]"""
    problems: list[Problem] = []
    store = MemoryStore({"a/SKILL.md": skill_md("a"), "a/SKILL.md/x": b"x", "a/b/SKILL.md": skill_md("b")})
    provider = provider_of(store, problems)
    assert await paths_of(provider) == ["a/b"]
    assert await provider.get(SkillPath("a"), ANYONE) is None
    assert [(problem.where, problem.code) for problem in problems] == [("a/SKILL.md", "file_and_directory")]


async def test_an_emptied_directory_that_the_store_still_lists_is_none_and_a_marker_is_one(bucket: Bucket) -> None:
    """[S3: SeaweedFS's phantoms; MinIO's markers have no ETag]"""
    await bucket.put("a/SKILL.md", SKILL["SKILL.md"], "text/plain")
    await bucket.put("a/gone/x", b"x", "text/plain")
    await bucket.delete("a/gone/x")
    await bucket.put("a/void/", b"")
    async with bucket.open() as store:
        found = await entries_of(provider_of(store))
    assert found == [entry_of("a", {"SKILL.md": SKILL["SKILL.md"]}, ("void",))]
