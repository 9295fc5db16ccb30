"""Where a result comes from, told in its `_meta`; the same by the fast lane and by the SDK."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gateway.local.memory import MemoryStore
from gateway.protocol.wire import RELEASE_META_KEY
from gateway.releases.documents import Move
from gateway.releases.follower import Follower
from gateway.releases.opened import Indexes
from gateway.releases.publish import Terms
from gateway.releases.publish import publish as publish_plan
from gateway.releases.repository import Repository
from gateway.releases.shards import Release
from gateway.releases.signatures import key_id, load_signing_key, new_signing_key, sign, trusted_keys
from gateway.releases.trust import signed_by
from tests.audit.apps import host_over
from tests.lane.providers import shelf
from tests.protocol.host import ERAS, META, Era, Host
from tests.releases.plans import AT, files_of, plan_of
from tests.releases.stored import Skill, follower_of, provider_over, publish, store_release

URI = {"uri": "skill://team/a/SKILL.md"}
LABELS = {"commit": "0123abc", "run": "https://ci.example/runs/7"}
SKILLS = [Skill("team/a"), Skill("team/b"), Skill("team/c")]


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


async def labelled(
    repository: Repository, labels: Mapping[str, str], skills: list[Skill] = SKILLS, action: str = "publish"
) -> Release:
    """A release that the channel was moved to with labels."""
    release = await store_release(repository, skills)
    held = await repository.pointer("stable")
    await repository.move("stable", held, Move(release.id, release.digest, AT, action, labels=labels))
    return release


@asynccontextmanager
async def both(store: MemoryStore, follower: Follower) -> AsyncIterator[list[Host]]:
    """A host of a server that has a lane, and one of a server that has none."""
    await follower.look()
    async with (
        host_over(provider_over(store, follower), None, has_lane=True) as laned,
        host_over(provider_over(store, follower), None, has_lane=False) as bare,
    ):
        yield [laned, bare]


async def told(hosts: list[Host], era: Era, method: str, params: Mapping[str, Any]) -> Any:
    """The origin that a result tells; the whole result is the same from each of the hosts, and from memory."""
    first, *others = [(await host.call(era, method, params)).result for host in (*hosts, *hosts)]
    assert others == [first] * len(others)
    meta = first.get("_meta", {})
    assert (f"{META}serverInfo" in meta) is (era == "modern")
    return meta.get(RELEASE_META_KEY)


async def test_a_list_and_a_skill_tell_their_release_and_its_labels(era: Era) -> None:
    """[ours: provenance] In their results, as an entry has no `_meta`; other results do not."""
    store = MemoryStore()
    release = await labelled(Repository(store, ""), LABELS)
    async with both(store, follower_of(store)) as hosts:
        expected = {"id": release.id, "labels": LABELS}
        assert await told(hosts, era, "skills/list", {}) == expected
        assert await told(hosts, era, "skills/get", URI) == expected
        for method, params in (("resources/read", URI), ("resources/list", {})):
            assert await told(hosts, era, method, params) is None
        skills = (await hosts[0].call(era, "skills/list")).result["skills"]
        assert all(skill.keys() == {"uri", "frontmatter", "resources"} for skill in skills)


async def test_a_page_tells_the_release_it_is_of(era: Era) -> None:
    """[ours] Not the one that is current when it is asked for, and with the labels of that one."""
    store = MemoryStore()
    repository = Repository(store, "")
    old = await labelled(repository, {"n": "1"})
    follower = follower_of(store)
    async with both(store, follower) as hosts:
        cursor = {"cursor": (await hosts[0].call(era, "skills/list")).result["nextCursor"]}
        new = await labelled(repository, {"n": "2"}, [*SKILLS, Skill("team/d")])
        await follower.look()
        assert await told(hosts, era, "skills/list", {}) == {"id": new.id, "labels": {"n": "2"}}
        assert await told(hosts, era, "skills/list", cursor) == {"id": old.id, "labels": {"n": "1"}}


async def test_new_labels_of_the_same_release_are_told(era: Era) -> None:
    """[ours] As after a publish of the same files by another run."""
    store = MemoryStore()
    repository = Repository(store, "")
    release = await labelled(repository, {"n": "1"})
    follower = follower_of(store)
    async with both(store, follower) as hosts:
        await told(hosts, era, "skills/list", {})
        assert await labelled(repository, {"n": "2"}) == release
        await follower.look()
        for method, params in (("skills/list", {}), ("skills/get", URI)):
            assert await told(hosts, era, method, params) == {"id": release.id, "labels": {"n": "2"}}


async def test_a_rollback_does_not_change_what_a_release_was_published_with(era: Era) -> None:
    """[ours] Its labels are of who rolled back; those of a promotion count, where nothing else is known."""
    store = MemoryStore()
    repository = Repository(store, "")
    promoted = await labelled(repository, {"by": "promote"}, [Skill("team/z")], "promote")
    follower = follower_of(store)
    async with both(store, follower) as hosts:
        assert await told(hosts, era, "skills/list", {}) == {"id": promoted.id, "labels": {"by": "promote"}}
        release = await labelled(repository, {"n": "1"})
        await labelled(repository, {"n": "1"}, [*SKILLS, Skill("team/d")])
        await labelled(repository, {"by": "rollback"}, action="rollback")
        await follower.look()
        assert await told(hosts, era, "skills/list", {}) == {"id": release.id, "labels": {"n": "1"}}


async def test_a_release_without_labels_or_chosen_by_its_id_has_none(era: Era) -> None:
    """[ours]"""
    store = MemoryStore()
    release = await publish(Repository(store, ""), SKILLS)
    pinned = follower_of(store, release=release.id)
    for follower in (follower_of(store), pinned):
        async with both(store, follower) as hosts:
            assert await told(hosts, era, "skills/list", {}) == {"id": release.id}


async def test_who_signed_a_release_is_told_when_that_was_verified(era: Era) -> None:
    """[ours] By the id of the key; a signature that nobody checked says nothing."""
    pem, public = new_signing_key()
    key = load_signing_key(pem.encode())
    store = MemoryStore()
    repository = Repository(store, "")
    release = (await plan_of(files_of(3))).release
    await publish_plan(repository, await plan_of(files_of(3)), Terms("stable", AT, sign=lambda index: sign(index, key)))
    trusting = Follower(Indexes(repository, verify=signed_by(trusted_keys([public]), repository)), "stable")
    expected = {"id": release.id, "signer": key_id(key.public_key())}
    for follower, origin in ((trusting, expected), (follower_of(store), {"id": release.id})):
        async with both(store, follower) as hosts:
            assert await told(hosts, era, "skills/list", {}) == origin


async def test_labels_that_are_no_text_keep_nothing_from_being_served(era: Era) -> None:
    """[ours] A lone surrogate is JSON to who wrote the pointer, and no text to who reads the result."""
    store = MemoryStore()
    repository = Repository(store, "")
    release = await store_release(repository, SKILLS)
    move = '{"release":"%s","index":"%s","at":"%s","action":"publish","message":"","labels":{"n":"a\\ud800"}}'
    pointer = '{"format":1,"moves":[' + move % (release.id, release.digest, AT) + "]}"
    await store.put(repository.layout.channel("stable"), pointer.encode())
    async with both(store, follower_of(store)) as hosts:
        assert await told(hosts, era, "skills/list", {}) == {"id": release.id, "labels": {"n": "a?"}}


async def test_what_is_of_no_release_tells_none(era: Era) -> None:
    """[ours] A channel that nobody published to, and skills from elsewhere."""
    store = MemoryStore()
    async with both(store, follower_of(store)) as hosts:
        assert await told(hosts, era, "skills/list", {}) is None
    async with host_over(shelf("team/a"), None, has_lane=True) as host:
        assert await told([host], era, "skills/list", {}) is None
