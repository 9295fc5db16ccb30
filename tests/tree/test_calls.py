"""How many calls and bytes an answer costs: what it shows, never what the bucket holds."""

import pytest
from moto.s3.models import s3_backends

from gateway.local.memory import MemoryStore
from gateway.local.seaweedfs import LocalServer
from gateway.provider import Page
from gateway.skill.model import SkillPath
from gateway.tree.options import TreeOptions
from tests.stores import fresh_bucket
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import ANYONE, entries_of, pages_of, paths_of, provider_of, skill_md

MOTO_ACCOUNT = "123456789012"


def skills(count: int) -> dict[str, bytes]:
    return {f"skill-{number:05}/SKILL.md": skill_md(f"skill-{number:05}") for number in range(count)}


async def first_page_calls(store: CountingStore) -> tuple[dict[str, int], dict[str, int]]:
    page = await provider_of(store).list(Page(limit=50), ANYONE)
    assert [entry.path for entry in page.entries] == [f"skill-{number:05}" for number in range(50)]
    return dict(store.calls), dict(store.sent_bytes)


async def test_the_first_page_over_ten_thousand_skills_costs_what_it_costs_over_two_hundred() -> None:
    """[ours]"""
    few, many = [await first_page_calls(CountingStore(MemoryStore(skills(count)))) for count in (200, 10_000)]
    assert few == many
    assert many[0] == {"list_page": 1, "get_range": 50}


async def test_the_first_page_over_ten_thousand_skills_costs_the_same_on_moto_too(moto_server: LocalServer) -> None:
    """[ours]"""
    costs: list[tuple[dict[str, int], dict[str, int]]] = []
    for count in (200, 10_000):
        bucket = fresh_bucket("moto", moto_server)
        for key, data in skills(count).items():  # 10,000 requests would take half a minute
            s3_backends[MOTO_ACCOUNT]["aws"].put_object(bucket.name, key, data)
        async with bucket.open() as store:
            costs.append(await first_page_calls(CountingStore(store)))
    assert costs[0] == costs[1]
    assert costs[1][0] == {"list_page": 1, "get_range": 50}


async def test_listing_fetches_nothing_but_the_heads_of_skill_md_where_checksums_are_stored() -> None:
    """[ours: bytes fetched to list a page]"""
    files = {
        "scripts/run.py": b"print()\n" * 9000,
        "assets/logo.png": b"\x89PNG" * 9000,
        "notes.md": b"# Notes\n" * 9000,
    }
    objects = skills(20) | {f"skill-{number:05}/{name}": data for number in range(20) for name, data in files.items()}
    store = CountingStore(MemoryStore(objects))
    entries = await entries_of(provider_of(store, options=TreeOptions(allow_binary=True, freshness_s=0)))
    assert [len(entry.files or ()) for entry in entries] == [4] * 20
    assert store.calls == {"list_page": 1, "get_range": 20, "head": 60}
    assert store.keys_read == dict.fromkeys(skills(20), 1)
    assert store.sent_bytes == {"get_range": sum(map(len, skills(20).values()))}


async def test_a_page_listed_again_costs_one_listing_and_no_object() -> None:
    """[ours: a warm list page]"""
    store = CountingStore(MemoryStore(skills(200)))
    provider = provider_of(store)
    await provider.list(Page(limit=50), ANYONE)
    store.calls.clear()
    await provider.list(Page(limit=50), ANYONE)
    assert store.calls == {"list_page": 1}


async def test_get_within_the_time_of_freshness_costs_nothing() -> None:
    """[ours: 0 inside the freshness window]"""
    store = CountingStore(MemoryStore(skills(60)))
    provider = provider_of(store, options=TreeOptions(freshness_s=3600))
    page = await provider.list(Page(limit=50), ANYONE)
    store.calls.clear()
    assert [await provider.get(entry.path, ANYONE) for entry in page.entries] == list(page.entries)
    assert store.calls == {}


async def test_get_costs_one_head_a_segment_one_listing_and_the_head_of_skill_md() -> None:
    """[ours]"""
    store = CountingStore(MemoryStore({"org/team/a/SKILL.md": skill_md("a"), **skills(5000)}))
    assert await provider_of(store).get(SkillPath("org/team/a"), ANYONE) is not None
    assert store.calls == {"head": 3, "list_page": 1, "get_range": 1}


async def test_a_read_of_a_known_skill_costs_one_call() -> None:
    """[ours: cold read of a known skill <= 2]"""
    store = CountingStore(MemoryStore(skills(3)))
    provider = provider_of(store, options=TreeOptions(freshness_s=3600))
    await pages_of(provider, 50)
    store.calls.clear()
    await provider.read(SkillPath("skill-00001"), "SKILL.md", ANYONE)
    assert store.calls == {"get": 1}


@pytest.mark.parametrize("max_list_pages", [1, 3, 20])
async def test_a_request_over_keys_that_make_no_entry_reads_no_more_pages_than_the_bound(max_list_pages: int) -> None:
    """[ours: S3 pages per request] [ours: also when each page ends within a skill]"""
    refused = {f"bad-{number:03}/{name}": b"" for number in range(100) for name in ("SKILL.md", "x", "y")}
    loose = {f"loose/{number:03}": b"" for number in range(100)}
    hidden = {f"m/.git/{number:03}": b"" for number in range(100)}
    objects = refused | loose | hidden | {"l/SKILL.md": skill_md("l"), "z/SKILL.md": skill_md("z")}
    store = CountingStore(MemoryStore(objects))
    provider = provider_of(store, options=TreeOptions(list_keys=4, max_list_pages=max_list_pages, freshness_s=0))
    position: str | None = None
    paths: list[str] = []
    while True:
        store.calls.clear()
        page = await provider.list(Page(limit=50, position=position), ANYONE)
        # One more when the skill that the request began with reaches over it.
        assert store.calls["list_page"] <= max_list_pages + 1
        paths += [entry.path for entry in page.entries]
        if (position := page.position) is None:
            break
    assert paths == ["l", "z"]


async def test_how_deep_a_key_lies_does_not_cost_a_call_for_each_level() -> None:
    """[ours: what anybody with write access can put costs a bounded number of calls]"""
    store = CountingStore(MemoryStore({"/".join("x" * 500): b"", "/".join("y" * 500): b"", **skills(1)}))
    assert await paths_of(provider_of(store, options=TreeOptions(list_keys=1, freshness_s=0))) == ["skill-00000"]
    assert store.calls["head"] <= 4 * 16
