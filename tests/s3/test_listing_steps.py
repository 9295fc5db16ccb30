"""A listing read in steps is the listing: wherever it is cut, and while others use the event loop."""

import asyncio
from urllib.parse import quote

from hypothesis import example, given
from hypothesis import strategies as st

from gateway.objects import ListedObject, ListPage, ObjectKey
from gateway.s3 import open_store
from gateway.s3.listing import STEP_BYTES, STEP_KEYS
from tests.s3.steps import read_listing, run
from tests.s3.wire import answering, response

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12)
PAGES = st.builds(
    ListPage,
    st.lists(
        st.builds(ListedObject, NAMES.map(ObjectKey), st.integers(0, 2**40), st.sampled_from(["", "e", "a-2"]))
    ).map(tuple),
    st.lists(NAMES.map(lambda name: f"{name}/")).map(tuple),
    st.none() | st.sampled_from(["t", "a+b/=="]),
)


def written(page: ListPage) -> bytes:
    """The body that S3 would send for `page`, with the fields that nobody needs."""
    rows = "".join(
        f"<Contents><Key>{quote(item.key)}</Key><LastModified>2026-03-01T12:00:00.000Z</LastModified>"
        f"<ETag>&quot;{item.etag}&quot;</ETag><Size>{item.size}</Size><Owner><ID>{'7' * 64}</ID>"
        f"<DisplayName>Key</DisplayName></Owner><StorageClass>STANDARD</StorageClass></Contents>\n"
        for item in page.objects
    )
    folders = "".join(f"<CommonPrefixes>\n <Prefix>{quote(name)}</Prefix>\n</CommonPrefixes>" for name in page.prefixes)
    token = f"<NextContinuationToken>{page.next_token}</NextContinuationToken>" if page.next_token else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<Name>é</Name>{rows}{folders}<Prefix>listed/</Prefix><EncodingType>url</EncodingType>"
        f"<IsTruncated>{'true' if token else 'false'}</IsTruncated>{token}</ListBucketResult>"
    ).encode()


def whole(count: int) -> ListPage:
    """A page of `count` keys."""
    return ListPage(tuple(ListedObject(ObjectKey(f"team/skill-{n:04}/SKILL.md"), n, f"{n:032x}") for n in range(count)))


@given(PAGES, st.integers(1, 400), st.integers(1, 5))
@example(whole(3), 1, 1)
def test_steps_of_any_size_read_the_same_page(page: ListPage, step_bytes: int, step_keys: int) -> None:
    """[S3 ListObjectsV2] [ours: a step may end inside a tag, an entity or a character]"""
    assert run(written(page), step_bytes, step_keys)[0] == page
    assert read_listing(written(page)) == page


def test_a_small_body_takes_one_step_and_a_large_one_as_many_as_it_has_parts() -> None:
    """[ours: the event loop is free between two steps]"""
    assert run(written(whole(20)), STEP_BYTES, STEP_KEYS)[1] == 1
    body = written(whole(1000))
    assert run(body, STEP_BYTES, STEP_KEYS)[1] == -(-len(body) // STEP_BYTES) + 1000 // STEP_KEYS - 1


async def test_others_have_their_turn_while_a_store_reads_a_listing() -> None:
    """[ours: 1,000 keys]"""
    page, turns, is_done = whole(1000), 0, False

    async def other() -> None:
        nonlocal turns
        while not is_done:
            await asyncio.sleep(0)
            turns += 1

    async with answering(response("200 OK", written(page))) as wire, open_store(wire.options()) as store:
        await store.list_page("")  # the first call loads what every call needs
        task = asyncio.create_task(other())
        assert await store.list_page("") == page
        is_done = True
        await task
    assert turns > len(written(page)) // STEP_BYTES
