"""What becomes of odd keys in each store: the reason why the gateway never sends most of them.

The table says what each store is known to do, so that a change is noticed; a store that is not in it
(`GATEWAY_TEST_S3`) must keep or refuse each key, and not make another one of it.
"""

import unicodedata

import pytest

from gateway.errors import StoreError
from gateway.objects import ObjectKey
from tests.stores import Bucket

BODY = b"body"
SEGMENT_256 = "s" * 256
KEY_1205 = "/".join(["k" * 200] * 6)

ODD_KEYS = ("a/../b", "./a", "a//x", "/lead", "back\\slash", "nl\nhere", "nul\0here", "dir/", SEGMENT_256, KEY_1205)

NOT_KEPT: dict[str, dict[str, str | tuple[str, bytes]]] = {
    "seaweedfs": {
        "a/../b": "refused",
        "./a": "refused",
        "a//x": ("a/x", BODY),
        "/lead": ("lead", BODY),
        "back\\slash": ("back/slash", BODY),
        "nul\0here": "refused",
        "dir/": ("dir/", b""),
        SEGMENT_256: "refused",
        KEY_1205: "refused",
    },
    "juicefs": {
        "a/../b": "refused",
        "./a": "refused",
        "a//x": ("a/x", BODY),
        "/lead": ("lead", BODY),
        "nul\0here": "refused",
        "dir/": "refused",
    },
    "moto": {"nl\nhere": "refused"},
    "memory": {},
}
"""By store: what it refuses, and what it makes of the rest, as the key it lists and the bytes it gives back."""

CLEAN_KEYS = (
    "space here", "plus+", "per%cent", "hash#", "q?x", "amp&", "lt<", "quote'", 'dq"', "semi;", "eq=", "(x)", "[x]",
    "{x}", "*", "@", "$", "!", ",", "|", "^", "`", "~t", ".dot", "%2F", "a%2Fb", "tab\there", "cr\rhere", "c\x01d",
    "del\x7f", "😀", "é", unicodedata.normalize("NFD", "é"), "case/A", "case/a", "ä b/ü c", "s" * 255,
)  # fmt: skip


async def outcome(bucket: Bucket, key: str) -> str | tuple[str, bytes]:
    async with bucket.open() as store:
        try:
            await store.put(ObjectKey(key), BODY)
        except StoreError:
            return "refused"
        # SeaweedFS lists a directory that was emptied for a minute, without an ETag.
        listed = [item.key for item in (await store.list_page("")).objects if item.etag]
        data = (await store.get(ObjectKey(key), max_bytes=9)).data
        for found in listed:
            await bucket.delete(found)
    assert len(listed) == 1
    return "kept" if (listed[0], data) == (key, BODY) else (listed[0], data)


async def test_odd_keys_are_kept_refused_or_changed_as_known(bucket: Bucket) -> None:
    """[S3 "Object key naming"] [ours]"""
    found = {key: await outcome(bucket, key) for key in ODD_KEYS}
    not_kept = {key: became for key, became in found.items() if became != "kept"}
    if bucket.kind in NOT_KEPT:
        assert not_kept == NOT_KEPT[bucket.kind]
    else:
        assert set(not_kept.values()) <= {"refused"}


async def test_keys_with_any_character_of_a_segment_are_kept(bucket: Bucket) -> None:
    """[S3 "Object key naming"] [botocore: listings are url-encoded]"""
    for key in CLEAN_KEYS:
        await bucket.put(key, key.encode())
    async with bucket.open() as store:
        listed = {item.key for item in (await store.list_page("")).objects}
        read = {key: (await store.get(ObjectKey(key), max_bytes=999)).data for key in CLEAN_KEYS}
    assert listed == set(CLEAN_KEYS)
    assert read == {key: key.encode() for key in CLEAN_KEYS}


async def test_a_key_and_keys_under_it_live_together_or_the_second_is_refused(bucket: Bucket) -> None:
    """[S3: keys are flat] [ours: MinIO's code of 2021 keeps files]"""
    async with bucket.open() as store:
        await store.put(ObjectKey("a"), b"1")
        if bucket.kind == "juicefs":
            with pytest.raises(StoreError):
                await store.put(ObjectKey("a/x"), b"2")
        else:
            await store.put(ObjectKey("a/x"), b"2")
            assert (await store.get(ObjectKey("a/x"), max_bytes=9)).data == b"2"
        assert (await store.get(ObjectKey("a"), max_bytes=9)).data == b"1"


async def test_a_key_without_utf8_is_an_error_and_no_request(bucket: Bucket) -> None:
    """[ours]"""
    async with bucket.open() as store:
        with pytest.raises(StoreError):
            await store.head(ObjectKey("lone\ud800"))
