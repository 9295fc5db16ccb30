"""The view over a provider: what it asks, and which objects it gives."""

import pytest

from gateway.errors import NotADirectory, NotServed
from gateway.local.memory import MemoryStore
from gateway.policy.pages import MAX_INNER_PAGES
from gateway.policy.policy import Policy
from gateway.policy.rule import Facts, Rule
from gateway.policy.view import PolicyView
from gateway.provider import Caller, DirectoryProvider, EntryPage, Page, WarmProvider
from gateway.skill.model import SkillPath
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider
from tests.policy.catalogue import Catalogue, catalogue
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import Clock, skill_md


def view_of(inner: Catalogue, *globs: str, clock: Clock | None = None) -> tuple[PolicyView, Caller]:
    """A view in which one rule shows the globs to everybody, and a caller of that rule."""
    policy = Policy([Rule(globs), Rule(("**",), scopes=("admin",))])
    view = PolicyView(inner, policy, now=clock or Clock())
    return view, Caller("https://issuer", "client", "someone", "", policy.grants_of(Facts()))


def paths_of(page: EntryPage | None) -> list[str] | None:
    return None if page is None else [entry.path for entry in page.entries]


async def test_a_hidden_path_is_answered_without_asking_whether_there_is_one() -> None:
    """[ours: no timing path that asks for a hidden skill] By each method."""
    inner = catalogue("a/seen", "b/hidden")
    view, caller = view_of(inner, "a/*")
    assert isinstance(view, WarmProvider)
    assert isinstance(view, DirectoryProvider)
    assert (view.namespaces, view.serves_dynamic) == (("",), True)
    messages: set[str] = set()
    for path in (SkillPath("b/hidden"), SkillPath("b/absent"), SkillPath("b/hidden/in/it")):
        assert await view.get(path, caller) is view.warm_get(path, caller) is None
        assert view.warm_read(path, "SKILL.md", caller) is None
        with pytest.raises(NotServed) as not_served:
            await view.read(path, "SKILL.md", caller)
        with pytest.raises(NotADirectory) as no_directory:
            await view.read_directory(path, "", Page(5), caller)
        messages |= {str(error.value).replace(path, "<path>") for error in (not_served, no_directory)}
    assert messages == {"No skill is served at '<path>'"}
    assert inner.asked == []


async def test_what_is_seen_is_the_answer_of_the_provider_itself() -> None:
    """[WarmProvider: the very objects]"""
    inner, path = catalogue("a/seen", "b/hidden"), SkillPath("a/seen")
    view, caller = view_of(inner, "a/**")
    assert await view.get(path, caller) is view.warm_get(path, caller) is inner.entries[path]
    assert (await view.read(path, "SKILL.md", caller)).data == b""
    assert view.warm_read(path, "SKILL.md", caller) is not None
    assert len((await view.read_directory(path, "", Page(5), caller)).children) == 1
    assert inner.asked == [path, (path, "SKILL.md"), (path, "")]


async def test_who_sees_everything_gets_the_page_as_it_is_and_who_sees_nothing_asks_nobody() -> None:
    """[ours]"""
    inner = catalogue("a/one", "b/two")
    view, caller = view_of(inner, "a/**")
    admin, nobody, page = Caller(grants=frozenset({1})), Caller(), Page(50)
    assert await view.list(page, admin) is view.warm_list(page, admin) is inner.pages[None, 50]
    inner.asked.clear()
    assert await view.list(page, nobody) == view.warm_list(page, nobody) == EntryPage(())
    assert inner.asked == []
    assert paths_of(await view.list(page, caller)) == ["a/one"]


async def test_a_page_is_filled_to_three_quarters_and_never_past_its_limit() -> None:
    """[ours] Each position is the provider's own, and each seen skill comes once."""
    inner = catalogue(*(f"{'ab'[number % 2]}/s-{number:03}" for number in range(100)))
    view, caller = view_of(inner, "a/*")
    sizes: list[int] = []
    seen: list[str] = []
    page = Page(8)
    while True:
        answer = await view.list(page, caller)
        sizes.append(len(answer.entries))
        seen += [entry.path for entry in answer.entries]
        if answer.position is None:
            break
        page = Page(8, len(seen), answer.position)
    assert seen == [path for path in inner.entries if path.startswith("a/")]
    assert all(6 <= size <= 8 for size in sizes[:-1])


async def test_a_page_is_made_of_so_many_at_most_and_may_be_empty() -> None:
    """[ours] One request has a bound; the host asks again from there."""
    inner = catalogue(*(f"b/s-{number:03}" for number in range(99)), "a/last")
    view, caller = view_of(inner, "a/*")
    answer = await view.list(Page(2), caller)
    assert answer == EntryPage((), str(2 * MAX_INNER_PAGES))
    assert len(inner.asked) == MAX_INNER_PAGES
    answer = await view.list(Page(2, 0, "98"), caller)
    assert (paths_of(answer), answer.position) == (["a/last"], None)


async def test_a_provider_that_meets_a_bound_of_its_own_is_not_asked_on() -> None:
    """[ours] It answers with nothing and a way on, and so does the view."""
    inner = catalogue("a/one")
    inner.pages = {(None, 5): EntryPage((), "9")}
    view, caller = view_of(inner, "a/*")
    assert await view.list(Page(5), caller) == EntryPage((), "9")
    assert len(inner.asked) == 1


async def test_a_skill_that_comes_on_two_pages_is_once_in_the_page_made_of_them() -> None:
    """[ours: provider contract under change]"""
    inner = catalogue("a/one", "a/two", "b/x")
    one, two, hidden = inner.entries.values()
    inner.pages = {(None, 5): EntryPage((one, hidden), "2"), ("2", 4): EntryPage((one, two))}
    view, caller = view_of(inner, "a/*")
    assert await view.list(Page(5), caller) == EntryPage((one, two))


async def test_a_page_is_the_same_object_while_all_it_was_made_of_is() -> None:
    """[WarmProvider] Renderings are kept by identity; other grants and variants have pages of their own."""
    inner = catalogue("a/one", "b/two", "a/three", "a/four")
    view, caller = view_of(inner, "a/**")
    page = Page(3)
    assert view.warm_list(page, caller) is None  # nobody asked yet
    made = await view.list(page, caller)
    assert paths_of(made) == ["a/one", "a/three", "a/four"]
    assert await view.list(page, caller) is view.warm_list(page, caller) is made
    admin = Caller(grants=frozenset({0, 1}))
    assert paths_of(await view.list(page, admin)) == ["a/one", "b/two", "a/three"]

    again = inner.pages[None, 3]
    inner.pages[None, 3] = EntryPage(again.entries, again.position)  # as it was, but another object
    assert view.warm_list(page, caller) is None
    assert await view.list(page, caller) is view.warm_list(page, caller) is made

    inner.pages[None, 3] = EntryPage(again.entries[1:], again.position)
    assert view.warm_list(page, caller) is None
    changed = await view.list(page, caller)
    assert changed is not made
    assert paths_of(changed) == ["a/three", "a/four"]


async def test_a_page_is_not_warm_when_a_part_of_it_is_not() -> None:
    """[WarmProvider]"""
    inner = catalogue("a/one", "b/two")
    view, caller = view_of(inner, "a/*")
    made = await view.list(Page(1), caller)
    assert view.warm_list(Page(1), caller) is made
    inner.is_warm = False
    assert view.warm_list(Page(1), caller) is None
    assert view.warm_get(SkillPath("a/one"), caller) is None


async def test_grants_that_change_between_pages_act_at_once() -> None:
    """[ours] A position says nothing of who asked."""
    inner = catalogue("a/one", "a/two", "b/three", "b/four")
    view, caller = view_of(inner, "a/*")
    first = await view.list(Page(2), caller)
    assert paths_of(first) == ["a/one", "a/two"]
    lowered, raised = Caller(grants=frozenset()), Caller(grants=frozenset({1}))
    following = Page(2, 2, first.position)
    assert paths_of(await view.list(following, lowered)) == []
    assert paths_of(await view.list(following, raised)) == ["b/three", "b/four"]


async def test_a_nested_skill_is_hidden_with_the_outermost() -> None:
    """[SEP-2640, Nested Skills] A rule that names it alone reveals nothing, in memory neither."""
    inner, nested = catalogue("outer", "outer/nested", "free/nested"), SkillPath("outer/nested")
    view, caller = view_of(inner, "*/nested")
    assert await view.get(nested, caller) is view.warm_get(nested, caller) is None
    assert view.warm_read(nested, "SKILL.md", caller) is None
    assert (nested, "SKILL.md") not in inner.asked
    assert nested not in inner.asked
    assert paths_of(await view.list(Page(5), caller)) == ["free/nested"]
    with pytest.raises(NotServed):
        await view.read(nested, "SKILL.md", caller)


async def test_a_nested_skill_is_seen_with_the_outermost() -> None:
    """[SEP-2640, Nested Skills] A rule that names the outer one is enough, and gives nothing where there is none."""
    inner, nested = catalogue("outer", "outer/nested", "other/nested"), SkillPath("outer/nested")
    view, caller = view_of(inner, "outer", "other")
    assert view.warm_get(nested, caller) is inner.entries[nested]
    assert await view.get(nested, caller) is inner.entries[nested]
    assert paths_of(await view.list(Page(5), caller)) == ["outer", "outer/nested"]
    inner.asked.clear()
    assert await view.get(SkillPath("other/nested"), caller) is None
    assert await view.get(SkillPath("other/absent"), caller) is None
    assert SkillPath("other/nested") not in inner.asked


async def test_that_nothing_above_is_a_skill_is_taken_for_granted_for_a_while() -> None:
    """[ours] Once it is one, everything below it follows it."""
    clock, inner, path = Clock(), catalogue("team/a"), SkillPath("team/a")
    view, caller = view_of(inner, "team/*", clock=clock)
    assert view.warm_get(path, caller) is None
    assert await view.get(path, caller) is view.warm_get(path, caller) is inner.entries[path]
    page = await view.list(Page(5), caller)
    assert view.warm_list(Page(5), caller) is page
    assert inner.asked.count(SkillPath("team")) == 1

    inner.entries |= catalogue("team").entries
    clock.now_s += 4.9
    assert view.warm_get(path, caller) is inner.entries[path]
    clock.now_s += 0.1
    assert view.warm_get(path, caller) is view.warm_list(Page(5), caller) is None
    assert await view.get(path, caller) is None
    assert paths_of(await view.list(Page(5), caller)) == []


async def test_a_caller_of_one_part_of_a_large_tree_is_answered_from_that_part() -> None:
    """[ours: what is hidden is not listed] In one page, however much lies beside it; the next time from memory."""
    objects = {f"big/s-{number}/SKILL.md": skill_md(f"s-{number}") for number in range(5000)}
    objects |= {f"zoo/{name}/SKILL.md": skill_md(name) for name in ("ape", "bee")}
    store = CountingStore(MemoryStore(objects))
    policy = Policy([Rule(("zoo/**",))])
    view = PolicyView(TreeProvider(store, TreeOptions(freshness_s=3600)), policy)
    caller = Caller(grants=policy.grants_of(Facts()))
    page = await view.list(Page(50), caller)
    assert (paths_of(page), page.position) == (["zoo/ape", "zoo/bee"], None)
    assert store.calls == {"list_page": 1, "get_range": 2}
    assert view.warm_list(Page(50), caller) is page
    assert store.keys_read == {"zoo/ape/SKILL.md": 1, "zoo/bee/SKILL.md": 1}
