"""A stretch of the catalogue below one folder: it is listed there alone, and only as far as the rules go."""

import pytest

from gateway.local.memory import MemoryStore
from gateway.policy.policy import Policy
from gateway.policy.roots import narrowed
from gateway.policy.rule import Facts, Rule
from gateway.policy.view import PolicyView
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.options import AdapterOptions
from gateway.protocol.survey import Question, survey
from gateway.provider import Caller
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import skill_md

BIG = {f"big/s-{number}/SKILL.md": skill_md(f"s-{number}") for number in range(3000)}
TEAMS = {f"{path}/SKILL.md": skill_md(path.rpartition("/")[2]) for path in ("kit", "kit/in", "zoo/ape", "zoo/a/bee")}
KEYS = (b"k" * 32,)
OPTIONS = TreeOptions(freshness_s=3600)


def below(folder: str) -> list[str]:
    paths = [key.removesuffix("/SKILL.md") for key in TEAMS]
    return sorted(path for path in paths if path.startswith(f"{folder}/"))


async def found(adapter: SkillsAdapter, folder: str, caller: Caller) -> list[str]:
    looked = await survey(adapter, caller, Question(folder=folder), enough=5000)
    assert looked.cursor is None
    return sorted(entry.path for entry in looked.entries)


async def test_a_folder_of_a_large_tree_costs_one_listing() -> None:
    """[ours: what is not wanted is not listed]"""
    store = CountingStore(MemoryStore(BIG | TEAMS))
    adapter = SkillsAdapter(TreeProvider(store, OPTIONS), AdapterOptions(KEYS))
    assert await found(adapter, "zoo", Caller()) == below("zoo")
    assert store.calls == {"list_page": 1, "get_range": 2}


@pytest.mark.parametrize(
    "folder",
    ["zoo/a", "zoo/ape", "kit", "kit/in", "zo", "zoo/", "/zoo", "zoo/../kit", ".", "\0", "\ud800", "/".join("a" * 40)],
)
async def test_any_folder_gives_what_lies_below_it(folder: str) -> None:
    """[ours] Also one that no key can have, for which no store is asked that could mind it."""
    adapter = SkillsAdapter(TreeProvider(MemoryStore(TEAMS), OPTIONS), AdapterOptions(KEYS))
    assert await found(adapter, folder, Caller()) == below(folder)


async def test_a_folder_that_the_rules_hide_is_not_listed() -> None:
    """[ours: hidden is like absent]"""
    store, policy = CountingStore(MemoryStore(BIG | TEAMS)), Policy([Rule(("zoo/a/**", "kit"))])
    adapter = SkillsAdapter(PolicyView(TreeProvider(store, OPTIONS), policy), AdapterOptions(KEYS))
    caller = Caller(grants=policy.grants_of(Facts()))
    for hidden in ("big", "big/s-1", "zoo/b"):
        assert await found(adapter, hidden, caller) == []
    assert store.calls.total() == 0
    assert await found(adapter, "zoo", caller) == ["zoo/a/bee"]
    assert store.calls == {"list_page": 1, "get_range": 1, "head": 1}
    assert await found(adapter, "kit", caller) == ["kit/in"]
    assert await found(adapter, "", caller) == ["kit", "kit/in", "zoo/a/bee"]
    assert not any(key.startswith("big/") for key in store.keys_read)


@pytest.mark.parametrize(
    ("wanted", "roots", "both"),
    [
        ((), (), ()),
        (("a",), (), ("a",)),
        ((), ("a",), ("a",)),
        (("a",), ("a/b", "c"), ("a/b",)),
        (("a/b/c",), ("a/b", "a/d"), ("a/b/c",)),
        (("a", "c"), ("a/b", "a/d", "c"), ("c", "a/b", "a/d")),
        (("a",), ("ab", "b"), None),
    ],
)
def test_roots_of_both(wanted: tuple[str, ...], roots: tuple[str, ...], both: tuple[str, ...] | None) -> None:
    """[ours]"""
    assert narrowed(wanted, roots) == both
