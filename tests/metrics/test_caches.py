"""Lookups in the caches: each is a hit or a miss once, under the name that the status has for the cache."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.asgi import app_over
from gateway.memory.shelves import Shelf, new_memory
from gateway.metrics.exposition import exposed
from gateway.releases.repository import Repository
from gateway.settings import Settings
from tests.metrics.scrapes import growth, rows_at
from tests.protocol.host import Host, serving
from tests.releases.stored import Skill, publish
from tests.stores import S3Bucket
from tests.tree.trees import skill_md

VARIANTS = {"live": {"prefix": "live/", "source": "tree"}}
NAME = "cache_lookups_total"
WARM_LOOKUP_S = 1e-6


@asynccontextmanager
async def gateway(bucket: S3Bucket, port: int) -> AsyncIterator[Host]:
    """Releases at its root and a tree beside them, scraped at `port`; counts are whole once it has stopped."""
    keys = ("k" * 32,)
    settings = Settings(
        bucket=bucket.name, cursor_keys=keys, metrics_port=port, prefix="of/", variants=VARIANTS, freshness_s=60
    )
    async with serving(app_over(bucket.open, settings)) as host:
        yield host


async def test_lookups_of_releases_are_counted_by_cache_and_kind(s3_bucket: S3Bucket, free_port: int) -> None:
    """[ours] On every store: a list and a file ask the store once, and are answered from memory after that."""
    async with s3_bucket.open() as store:
        await publish(Repository(store, "of/"), [Skill("kit")])
    with exposed("127.0.0.1", free_port, workers=1):
        before = rows_at(free_port, NAME, variant="default")
        async with gateway(s3_bucket, free_port) as host:
            for _ in range(4):
                await host.call("modern", "skills/list")
            for _ in range(3):
                await host.call("modern", "resources/read", {"uri": "skill://kit/SKILL.md"})
        grown = growth(before, rows_at(free_port, NAME, variant="default"))
    assert {row: count for row, count in grown.items() if "shard" not in row} == {
        ("entries", "page", "miss"): 1,
        ("entries", "page", "hit"): 3,
        ("contents", "content", "miss"): 1,
        ("contents", "content", "hit"): 2,
        ("indexes", "index", "miss"): 1,
    }
    assert grown["entries", "shard", "miss"] == 1
    assert grown["entries", "shard", "hit"] >= 3


async def test_lookups_of_a_tree_are_counted_by_cache_and_kind(s3_bucket: S3Bucket, free_port: int) -> None:
    """[ours] On every store, and under the very names of the status."""
    await s3_bucket.put("live/kit/SKILL.md", skill_md("kit"))
    await s3_bucket.put("live/kit/more.md", b"more")
    with exposed("127.0.0.1", free_port, workers=1):
        before = rows_at(free_port, NAME, variant="live")
        async with gateway(s3_bucket, free_port) as host:
            live = Host(host.client, endpoint="/mcp/live")
            for _ in range(3):
                await live.call("modern", "skills/list")
            for _ in range(3):
                await live.call("modern", "resources/read", {"uri": "skill://kit/more.md"})
            caches = (await host.client.get("/statusz")).json()["sources"]["live"]["caches"]
        after = rows_at(free_port, NAME, variant="live")
    grown = growth(before, after)
    assert {cache for cache, _, _ in after} == set(caches)
    assert (grown["entries", "page", "miss"], grown["entries", "page", "hit"]) == (1, 2)
    assert grown["entries", "listing", "miss"] == 1
    assert (grown["entries", "head", "miss"], grown["entries", "facts", "miss"]) == (1, 1)
    assert grown["entries", "group", "hit"] >= 3
    assert "miss" not in {outcome for _, kind, outcome in grown if kind == "group"}
    # Where the store keeps no checksums, the file was read whole to hash it, and needs no other GET.
    assert grown.get(("contents", "content", "miss"), 0) + grown["contents", "content", "hit"] == 3
    assert grown["contents", "content", "hit"] >= 2


def test_a_lookup_costs_no_microsecond_more_than_without_being_counted() -> None:
    """[ours] The best of many rounds, for a machine that does other things."""
    shelf: Shelf[str, int] = Shelf(new_memory(10_000), "kind", lambda _: 1)
    shelf.put("key", 1)

    def best_s(look: object) -> float:
        assert callable(look)
        rounds: list[float] = []
        for _ in range(200):
            began = time.perf_counter()
            for _ in range(100):
                look("key")
            rounds.append((time.perf_counter() - began) / 100)
        return min(rounds)

    assert best_s(shelf.find_warm) - best_s(shelf.get) < WARM_LOOKUP_S
    assert shelf.lookups.hits == 20_000
