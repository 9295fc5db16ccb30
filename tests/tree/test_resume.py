"""Going on within a page: nothing that is still to come is skipped, whatever went meanwhile."""

import pytest

from gateway.errors import ProviderFault
from gateway.tree.position import START, Place, load_place
from gateway.tree.resume import skip_passed


def left(passed: str, *keys: str) -> list[str]:
    places = [(tuple(key.split("/")), key) for key in keys]
    return [key for _, key in skip_passed(places, tuple(passed.split("/")))]


def test_what_lies_in_the_passed_group_and_before_it_is_skipped() -> None:
    """[ours: each skill once]"""
    assert left("b", "a/1", "b/1", "b/2/3", "c/1") == ["c/1"]
    assert left("b/2", "a/1", "b/1", "b/2/3", "b/3", "c/1") == ["b/3", "c/1"]


def test_a_group_that_went_is_placed_by_the_order_of_the_page() -> None:
    """[S3: by bytes] [SeaweedFS: by segment]"""
    assert left("b", "a-1/x", "a/x", "c/x") == ["c/x"]
    assert left("b", "a/x", "a-1/x", "c/x") == ["c/x"]
    assert left("z", "a/x") == []
    assert left("a") == []


@pytest.mark.parametrize("keys", [("a-b/x", "c/x"), ("a-b/x",), ("a.b", "b")])
def test_what_only_one_of_the_fitting_orders_puts_behind_is_kept(keys: tuple[str, ...]) -> None:
    """[ours: a skill twice is better than a skill lost]"""
    assert left("a", *keys) == list(keys)


def test_a_page_in_no_known_order_is_kept_whole() -> None:
    """[ours: a skill twice is better than a skill lost]"""
    assert left("b", "z/1", "a/1", "c/1") == ["z/1", "a/1", "c/1"]


@pytest.mark.parametrize("place", [START, Place("t", "a/b", "a/b/c"), Place('ü"\\\n', "é", "")])
def test_a_place_comes_back_from_its_position(place: Place) -> None:
    """[ours]"""
    assert load_place(place.dump()) == place


def test_no_position_is_the_start_and_what_was_never_ours_is_a_fault() -> None:
    """[ours: positions are sealed]"""
    assert load_place(None) == START
    with pytest.raises(ProviderFault):
        load_place("not ours")
    with pytest.raises(ProviderFault):
        load_place("[1]")
    with pytest.raises(ProviderFault):
        load_place("1")
