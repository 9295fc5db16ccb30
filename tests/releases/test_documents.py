"""Documents of a release: what is not exactly right is refused by name."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from gateway.errors import ManifestRefused
from gateway.releases.documents import Move, Pointer, dump_pointer, load_index, load_pointer, load_shard
from gateway.skill.model import digest_of
from tests.releases.test_shards import release_of

RELEASE = release_of(3)
MOVE = Move(RELEASE.id, RELEASE.digest, "2026-12-01T10:00:00Z", "publish", "first", {"commit": "abc"})


def changed(data: bytes, change: Callable[[Any], object]) -> bytes:
    value = json.loads(data)
    change(value)
    return json.dumps(value).encode()


def test_a_pointer_is_read_back_as_it_was_and_keeps_its_past() -> None:
    """[ours]"""
    other = Move("0" * 20, digest_of(b""), "2026-12-01T11:00:00Z", "rollback")
    other = Move(other.index.removeprefix("sha256:")[:20], other.index, other.at, other.action)
    pointer = Pointer((MOVE,)).moved(other)
    assert load_pointer(dump_pointer(pointer), "stable") == pointer
    assert (pointer.current, pointer.moves[1]) == (other, MOVE)


def test_a_pointer_forgets_its_oldest_moves() -> None:
    """[ours: a pointer stays small]"""
    pointer = Pointer((MOVE,))
    for _ in range(300):
        pointer = pointer.moved(MOVE)
    assert len(pointer.moves) == 200


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda value: value.update(format=2), "format 2, needs 1"),
        (lambda value: value.update(moves=[]), "points nowhere"),
        (lambda value: value.pop("moves"), "moves None, needs an array"),
        (lambda value: value.update(moves=["x"]), "'x', needs an object"),
        (lambda value: value["moves"][0].update(release="f" * 20), "does not fit its index"),
        (lambda value: value["moves"][0].update(index="md5:1"), "index 'md5:1', needs sha256:"),
        (lambda value: value["moves"][0].update(labels={"a": 1}), "labels that are no text"),
        (lambda value: value["moves"][0].update(message=None), "message None, needs a text"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_pointer_that_is_not_right_is_refused_by_name(change: Callable[[Any], object], named: str) -> None:
    """[ours: bad input names the thing]"""
    with pytest.raises(ManifestRefused, match=named):
        load_pointer(changed(dump_pointer(Pointer((MOVE,))), change), "stable")


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[]", b"null", b"[" * 5000], ids=repr)
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    """[ours]"""
    with pytest.raises(ManifestRefused, match="'stable'"):
        load_pointer(data, "stable")


def test_bytes_of_another_digest_are_refused() -> None:
    """[ours: every byte is verified]"""
    shard = RELEASE.shards[0]
    with pytest.raises(ManifestRefused, match="digest"):
        load_shard(shard.data + b" ", shard.digest)
    with pytest.raises(ManifestRefused, match="digest"):
        load_index(RELEASE.data[:-1], RELEASE.digest)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["skills"][0].update(path="org/other"),
        lambda value: value["skills"][0].update(path="../s0"),
        lambda value: value["skills"][0]["files"][0].__setitem__(1, -1),
        lambda value: value["skills"][0]["files"][0].__setitem__(1, True),
        lambda value: value["skills"][0]["files"][0].pop(),
        lambda value: value["skills"][0]["files"].clear(),
        lambda value: value["skills"][0].update(frontmatter=[]),
    ],
)
def test_a_shard_that_a_publish_would_not_write_is_refused_though_its_digest_fits(
    change: Callable[[Any], object],
) -> None:
    """[ours: fails closed]"""
    data = changed(RELEASE.shards[0].data, change)
    with pytest.raises(ManifestRefused):
        load_shard(data, digest_of(data))


def test_an_index_with_its_shards_out_of_order_is_refused() -> None:
    """[ours: a skill would not be found]"""
    release = release_of(2000)
    data = changed(release.data, lambda value: value["shards"].reverse())
    with pytest.raises(ManifestRefused, match="order"):
        load_index(data, digest_of(data))
