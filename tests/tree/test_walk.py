"""The flat walk: it ends, it goes on, and what is too large does not hold it up."""

import pytest

from gateway.errors import StoreMisbehaved
from gateway.local.memory import MemoryStore
from gateway.objects import ListPage
from gateway.provider import Page
from gateway.skill.model import Problem, SkillPath
from gateway.tree.options import TreeOptions
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import ANYONE, pages_of, paths_of, provider_of, skill_md

SKILLS = {f"{name}/SKILL.md": skill_md(name) for name in ("a", "b", "c")}


class CirclingStore(MemoryStore):
    """Gives out its tokens in a circle."""

    tokens = ("t1", "t2", "t3")

    async def list_page(
        self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
    ) -> ListPage:
        page = await super().list_page(prefix, max_keys=max_keys)
        place = self.tokens.index(token) + 1 if token else 0
        return ListPage(page.objects[place : place + 1], (), self.tokens[place % len(self.tokens)])


@pytest.mark.parametrize("tokens", [("t",), ("t1", "t2"), ("t1", "t2", "t3")])
async def test_a_token_that_comes_twice_ends_the_listing_with_an_error(tokens: tuple[str, ...]) -> None:
    """[ours: an error, not a loop]"""
    store = CirclingStore(SKILLS)
    store.tokens = tokens
    with pytest.raises(StoreMisbehaved) as caught:
        await pages_of(provider_of(store), 50)
    assert caught.value.reason == "store_misbehaved"
    with pytest.raises(StoreMisbehaved):
        await provider_of(store).get(SkillPath("a"), ANYONE)


LARGE = {f"b/{kind}{number:03}": b"x" for number in range(40) for kind in ("", ".git/", "more/", "bad\\")}


@pytest.mark.parametrize("nested", [{}, {"b/0/SKILL.md": skill_md("0"), "b/z/SKILL.md": skill_md("z")}])
@pytest.mark.parametrize("max_list_pages", [1, 2, 20])
@pytest.mark.parametrize("limit", [1, 50])
async def test_a_skill_with_too_many_keys_is_named_and_the_walk_goes_on_past_it(
    limit: int, max_list_pages: int, nested: dict[str, bytes]
) -> None:
    """[ours: keys per group] [ours: progress]"""
    store = CountingStore(MemoryStore(SKILLS | LARGE | nested))
    problems: list[Problem] = []
    options = TreeOptions(max_skill_keys=30, list_keys=3, max_list_pages=max_list_pages, freshness_s=3600)
    provider = provider_of(store, problems, options)
    assert await paths_of(provider, limit) == ["a", "c"]
    assert [(problem.where, problem.code) for problem in problems] == [("b", "too_many_files")]
    assert "has more than 30 files" in problems[0].detail
    assert [await provider.get(SkillPath(path), ANYONE) for path in ("b", "b/0", "b/z")] == [None] * 3
    assert store.calls["list_page"] < 400


@pytest.mark.parametrize("kind", ["", ".git/", "more/", "bad\\"])
async def test_exactly_as_many_keys_as_the_bound_are_served_and_one_more_of_any_kind_is_not(kind: str) -> None:
    """[ours: keys per group] [ours: a bound that hidden keys slip past is none]"""
    store = MemoryStore({"a/SKILL.md": skill_md("a")} | {f"a/{kind}{number}": b"x" for number in range(5)})
    options = [TreeOptions(max_skill_keys=most, list_keys=2, freshness_s=0) for most in (6, 5)]
    assert [await paths_of(provider_of(store, options=each)) for each in options] == [["a"], []]
    assert [await provider_of(store, options=each).get(SkillPath("a"), ANYONE) is None for each in options] == [
        False,
        True,
    ]


async def test_listing_one_skill_with_endless_hidden_keys_stops_at_the_bound() -> None:
    """[ours: bounded work]"""
    store = CountingStore(MemoryStore(SKILLS | {f"b/.git/{number:04}": b"x" for number in range(3000)}))
    options = TreeOptions(max_skill_keys=100, list_keys=10, freshness_s=0)
    assert await provider_of(store, options=options).get(SkillPath("b"), ANYONE) is None
    assert store.calls["list_page"] <= 11


async def test_a_truncated_page_may_be_empty_and_the_walk_goes_on() -> None:
    """[S3: an empty page with IsTruncated=true]"""

    class BlankStore(MemoryStore):
        async def list_page(
            self, prefix: str, *, token: str | None = None, max_keys: int = 1000, by_directory: bool = False
        ) -> ListPage:
            if token is None or len(token) < 5:
                return ListPage((), (), f"{token or ''}x")
            return await super().list_page(prefix, max_keys=max_keys)

    store = BlankStore(SKILLS)
    assert await paths_of(provider_of(store)) == ["a", "b", "c"]
    first = await provider_of(store, options=TreeOptions(max_list_pages=2)).list(Page(limit=50), ANYONE)
    assert (first.entries, first.position) == ((), '["xx","",""]')


async def test_a_group_that_reaches_over_pages_at_hidden_keys_and_markers_is_whole() -> None:
    """[ours: hidden keys and markers at the edges of a page]"""
    keys = {"a/.h": b"h", "a/0/": b"", "a/SKILL.md": skill_md("a"), "a/s/.h": b"h", "a/s/f": b"f", "a/z/": b"",
            "a/z/.h": b"h", "b/SKILL.md": skill_md("b"), "b/x//y": b"odd", "c/.h": b"h", "d/": b""}  # fmt: skip
    for list_keys in range(1, 12):
        for limit in (1, 2):
            provider = provider_of(MemoryStore(keys), options=TreeOptions(list_keys=list_keys, max_list_pages=1))
            entries = [entry for page in await pages_of(provider, limit) for entry in page.entries]
            found = [(entry.path, [file.path for file in entry.files or ()], entry.directories) for entry in entries]
            assert found == [("a", ["SKILL.md", "s/f"], ("0", "z")), ("b", ["SKILL.md"], ())], (list_keys, limit)
