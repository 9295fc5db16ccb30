"""Pages of sorted keys: S3's rules, pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import StoreError
from gateway.local.paging import byte_order, page_of
from gateway.objects import ListedObject, ListPage, ObjectKey

KEYS = st.lists(st.text("a/-é0", min_size=1, max_size=6), unique=True, max_size=20)


def listed(key: str) -> ListedObject:
    return ListedObject(ObjectKey(key), 1, "e")


def walk(keys: list[str], prefix: str, max_keys: int, by_directory: bool) -> list[ListPage]:
    def page(token: str | None) -> ListPage:
        return page_of(keys, listed, prefix=prefix, token=token, max_keys=max_keys, by_directory=by_directory)

    pages = [page(None)]
    while pages[-1].next_token is not None:
        pages.append(page(pages[-1].next_token))
        assert len(pages) <= len(keys) + 1
    return pages


@given(KEYS, st.sampled_from(["", "a", "a/", "é/"]), st.integers(1, 5), st.booleans())
def test_pages_of_any_size_hold_what_one_page_holds(
    keys: list[str], prefix: str, max_keys: int, by_directory: bool
) -> None:
    """[S3 ListObjectsV2]"""
    keys.sort(key=byte_order)
    pages = walk(keys, prefix, max_keys, by_directory)
    (whole,) = walk(keys, prefix, 1000, by_directory)
    assert tuple(item for page in pages for item in page.objects) == whole.objects
    assert tuple(one for page in pages for one in page.prefixes) == whole.prefixes
    assert all(len(page.objects) + len(page.prefixes) == max_keys for page in pages[:-1])


@given(KEYS, st.sampled_from(["", "a", "a/", "é/"]))
def test_a_page_by_directory_folds_what_has_a_further_slash(keys: list[str], prefix: str) -> None:
    """[S3 "Organizing objects using prefixes"]"""
    keys.sort(key=byte_order)
    (page,) = walk(keys, prefix, 1000, by_directory=True)
    under = [key for key in keys if key.startswith(prefix)]
    folded = {key[: key.index("/", len(prefix)) + 1] for key in under if "/" in key[len(prefix) :]}
    assert [item.key for item in page.objects] == [key for key in under if "/" not in key[len(prefix) :]]
    assert page.prefixes == tuple(sorted(folded, key=byte_order))


def test_a_marker_and_what_is_under_it_are_both_listed_after_a_page_that_ends_at_the_marker() -> None:
    """[S3: a key may end in `/`]"""
    pages = walk(["a/", "a/x", "a/y"], "", 1, by_directory=False)
    assert [item.key for page in pages for item in page.objects] == ["a/", "a/x", "a/y"]


def test_more_than_1000_keys_a_page_are_never_sent_and_none_when_none_are_asked_for() -> None:
    """[S3 MaxKeys]"""
    keys = [f"{number:04}" for number in range(1001)]
    assert [len(page.objects) for page in walk(keys, "", 5000, by_directory=False)] == [1000, 1]
    assert walk(keys, "", 0, by_directory=False) == [ListPage(())]


def test_a_token_from_elsewhere_is_refused() -> None:
    """[S3 InvalidArgument]"""
    with pytest.raises(StoreError, match="continuation token"):
        page_of(["a"], listed, prefix="", token="a", max_keys=1, by_directory=False)
