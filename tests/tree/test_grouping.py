"""Keys to groups: which directories a page leaves in doubt, and what goes together."""

import pytest

from gateway.objects import ListedObject, ObjectKey
from gateway.skill.model import MAX_SKILL_SEGMENTS, Problem
from gateway.tree.group import Group, ancestors
from gateway.tree.grouping import Grouper, ListedPage, Placed, cut_unservable, doubtful
from gateway.tree.keys import KeyMap, Segments
from gateway.tree.position import START, Place

KEYS = KeyMap("", ())


def placed(key: str) -> Placed:
    return KEYS.segments_of(key), KEYS.locate(ListedObject(ObjectKey(key), 0, "etag"))


def page_of(*keys: str, token: str | None = None, is_last: bool = False, is_resumed: bool = False) -> ListedPage:
    places = tuple(placed(key) for key in keys)
    edges = (cut_unservable(places[0][0]), cut_unservable(places[-1][0])) if places else ()
    return ListedPage(token, 0.0, is_last, is_resumed, places, edges)


def doubts_of(page: ListedPage, known: dict[str, bool] | None = None) -> list[str]:
    named = {tuple(path.split("/")): is_skill for path, is_skill in (known or {}).items()}
    return ["/".join(directory) for directory in doubtful(page, named)]


def roots_of(groups: list[Group | Problem]) -> list[tuple[str, list[str]]]:
    return [
        ("/".join(group.root), ["/".join(key.segments) for key in group.keys])
        for group in groups
        if isinstance(group, Group)
    ]


def test_nothing_is_in_doubt_on_an_only_page() -> None:
    """[S3 ListObjectsV2]"""
    assert doubts_of(page_of("a/b/x", "c/d/y", is_last=True)) == []


def test_the_first_page_leaves_in_doubt_what_leads_to_its_last_key() -> None:
    """[ours]"""
    assert doubts_of(page_of("a/b/x", "c/d/y")) == ["c", "c/d"]


def test_the_last_page_leaves_in_doubt_what_leads_to_its_first_key() -> None:
    """[ours]"""
    assert doubts_of(page_of("a/b/x", "c/d/y", token="t", is_last=True)) == ["a", "a/b"]


def test_no_directory_in_a_skill_is_in_doubt_and_none_that_is_known() -> None:
    """[ours: nested skills belong to the outermost]"""
    assert doubts_of(page_of("a/b/x", "c/SKILL.md", "c/d/y", token="t")) == ["a", "a/b"]
    assert doubts_of(page_of("a/b/x", "c/d/y", token="t"), {"a": False, "a/b": True, "c": True}) == []


def test_hidden_and_unservable_directories_are_never_in_doubt() -> None:
    """[ours]"""
    assert doubts_of(page_of("a/.git/b/x", "c//d/y", token="t")) == ["a", "c"]
    assert doubts_of(page_of(token="t")) == []


def test_directories_deeper_than_a_skill_may_lie_are_never_in_doubt() -> None:
    """[ours: a bounded number of questions]"""
    assert len(doubts_of(page_of("/".join("d" * 400)))) == MAX_SKILL_SEGMENTS


@pytest.mark.parametrize(
    ("key", "cut"),
    [("a/b/c", ("a", "b", "c")), ("a/.b/c", ("a", ".b")), ("a//c", ("a", "")), ("..", ("..",)), ("", ("",))],
)
def test_segments_are_cut_after_the_first_that_cannot_be_served(key: str, cut: Segments) -> None:
    """[ours]"""
    assert cut_unservable(tuple(key.split("/"))) == cut


def test_a_group_is_all_that_lies_under_the_outermost_skill_and_loose_keys_are_none() -> None:
    """[SEP-2640 nested skills]"""
    page = page_of("a/SKILL.md", "a/b/SKILL.md", "a/c", "loose", "org/x", "org/z/SKILL.md", is_last=True)
    assert roots_of(Grouper(99, START).feed(page, {})) == [
        ("a", ["a/SKILL.md", "a/b/SKILL.md", "a/c"]),
        ("org/z", ["org/z/SKILL.md"]),
    ]


def test_an_open_group_closes_when_a_key_outside_it_comes_also_a_hidden_one() -> None:
    """[ours: hidden keys bound the work too]"""
    grouper = Grouper(99, START)
    assert roots_of(grouper.feed(page_of("a/SKILL.md"), {})) == []
    assert roots_of(grouper.feed(page_of(".git/x", token="t"), {("a",): True})) == [("a", ["a/SKILL.md"])]
    assert grouper.open is None


def test_a_group_begins_on_its_page_behind_the_group_before() -> None:
    """[ours: the position]"""
    grouper = Grouper(99, START)
    first = grouper.feed(page_of("a/SKILL.md", "b/SKILL.md", "c/SKILL.md"), {})
    rest = grouper.feed(page_of("c/x", "d/SKILL.md", token="t", is_last=True), {("c",): True})
    begins = [group.begin for group in (*first, *rest) if isinstance(group, Group)]
    assert begins == [Place(None, ""), Place(None, "a"), Place(None, "b"), Place("t", "c")]


def test_a_group_whose_first_keys_may_have_been_missed_is_partial() -> None:
    """[SEP-2640: a manifest is complete]"""
    resumed = page_of("a/.h", "a/SKILL.md", "b/SKILL.md", token="t", is_last=True, is_resumed=True)
    groups = Grouper(99, START).feed(resumed, {})
    assert [group.is_partial for group in groups if isinstance(group, Group)] == [True, False]
    odd = page_of("a//x", "a/SKILL.md", token="t", is_last=True, is_resumed=True)
    assert [group.is_partial for group in Grouper(99, START).feed(odd, {}) if isinstance(group, Group)] == [True]


def test_an_open_group_in_a_directory_that_became_a_skill_is_dropped_and_that_one_is_partial() -> None:
    """[SEP-2640: a manifest is complete]"""
    grouper = Grouper(99, START)
    grouper.feed(page_of("o/a/SKILL.md", "o/a/x"), {("o",): False})
    groups = grouper.feed(page_of("o/a/y", "o/SKILL.md", token="t", is_last=True), {("o",): False, ("o", "a"): True})
    assert [(group.root, group.is_partial) for group in groups if isinstance(group, Group)] == [(("o",), True)]


def test_what_is_still_to_come_of_a_closed_group_is_dropped_and_is_its_tail() -> None:
    """[ours: a group past its bound is closed early]"""
    grouper = Grouper(1, START)
    grouper.feed(page_of("a/SKILL.md", "a/x"), {})
    assert grouper.close().is_too_large
    assert grouper.feed(page_of("a/y", token="t"), {("a",): True}) == []
    assert grouper.tail == ("a",)
    assert grouper.feed(page_of("b/x", token="u"), {}) == []
    assert grouper.tail == ()


def test_a_walk_that_goes_on_behind_a_group_keeps_it_until_another_key_comes() -> None:
    """[ours: progress past a group larger than a page]"""
    assert Grouper(9, Place("t", "org/a")).tail == ("org", "a")


def test_keys_outside_any_skill_that_cannot_be_served_are_given_out_as_problems() -> None:
    """[ours: each is named]"""
    out = Grouper(9, START).feed(page_of("x//y", "z", is_last=True), {})
    assert [item.where for item in out if isinstance(item, Problem)] == ["x//y"]


def test_ancestors_are_the_directories_on_the_way_outermost_first() -> None:
    """[ours]"""
    assert list(ancestors(("a", "b", "c"))) == [("a",), ("a", "b")]
    assert list(ancestors(("a",))) == []
