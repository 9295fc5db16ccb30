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
from tests.tree.trees import ANYONE, Clock, entries_of, paths_of, provider_of, skill_md

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


NESTED = {f"org/team-{number % 7}/skill-{number:05}/SKILL.md": skill_md(f"skill-{number:05}") for number in range(400)}
NESTED |= {f"{key.removesuffix('SKILL.md')}notes.md": b"notes" for key in NESTED}


@pytest.mark.parametrize("objects", [skills(200), NESTED], ids=["flat", "nested"])
@pytest.mark.parametrize("list_keys", [101, 1000])
async def test_a_page_listed_again_costs_nothing_while_it_stands_and_one_listing_then(
    objects: dict[str, bytes], list_keys: int
) -> None:
    """[ours: a warm list page <= 1 call, 0 inside the freshness window]"""
    store, clock = CountingStore(MemoryStore(objects)), Clock()
    provider = provider_of(store, options=TreeOptions(list_keys=list_keys, freshness_s=5), now=clock)
    pages = [Page(limit=20)]
    first = await provider.list(pages[0], ANYONE)
    pages.append(Page(limit=20, offset=20, position=first.position))
    second = await provider.list(pages[1], ANYONE)
    store.calls.clear()
    assert [await provider.list(page, ANYONE) for page in pages] == [first, second]
    assert store.calls == {}
    clock.now_s += 5
    for page, before in zip(pages, (first, second), strict=True):
        store.calls.clear()
        assert await provider.list(page, ANYONE) is before
        assert store.calls in ({"list_page": 1}, {})
        assert store.calls or page is not pages[0]


async def test_a_page_of_the_listing_is_asked_for_once_for_all_pages_of_skills_within_it() -> None:
    """[ours: crawling n skills costs n / 1,000 listings inside the window]"""
    store, clock = CountingStore(MemoryStore(skills(500))), Clock()
    provider = provider_of(store, options=TreeOptions(list_keys=250, freshness_s=5), now=clock)
    assert len(await entries_of(provider, limit=20)) == 500
    assert store.calls == {"list_page": 2, "get_range": 500}


async def test_what_is_made_of_a_kept_listing_is_as_old_as_the_listing() -> None:
    """[ours: nothing older than the freshness window]"""
    objects = skills(40)
    store, clock = CountingStore(MemoryStore(objects)), Clock()
    provider = provider_of(store, options=TreeOptions(freshness_s=5), now=clock)
    first = await provider.list(Page(limit=20), ANYONE)
    clock.now_s += 4
    later = Page(limit=20, offset=20, position=first.position)
    await provider.list(later, ANYONE)
    clock.now_s += 1
    store.calls.clear()
    assert await provider.get(SkillPath("skill-00030"), ANYONE) is not None
    assert store.calls == {"list_page": 1}
    assert provider.warm_list(later, ANYONE) is None
    store.calls.clear()
    await provider.list(later, ANYONE)
    assert store.calls == {"list_page": 1}


async def test_get_costs_nothing_while_an_entry_stands_and_one_listing_then() -> None:
    """[ours: warm get <= 1 call, 0 inside the freshness window]"""
    store, clock = CountingStore(MemoryStore(NESTED)), Clock()
    provider = provider_of(store, options=TreeOptions(freshness_s=5), now=clock)
    page = await provider.list(Page(limit=50), ANYONE)
    store.calls.clear()
    assert [await provider.get(entry.path, ANYONE) for entry in page.entries] == list(page.entries)
    assert store.calls == {}
    clock.now_s += 5
    assert await provider.get(page.entries[0].path, ANYONE) is page.entries[0]
    assert store.calls == {"list_page": 1}


async def test_a_file_read_again_costs_nothing() -> None:
    """[ours: a warm read costs no call]"""
    store = CountingStore(MemoryStore(NESTED))
    provider = provider_of(store, options=TreeOptions(freshness_s=5))
    page = await provider.list(Page(limit=1), ANYONE)
    path = page.entries[0].path
    for name in ("SKILL.md", "notes.md"):
        first = await provider.read(path, name, ANYONE)
        store.calls.clear()
        assert await provider.read(path, name, ANYONE) is first
        assert store.calls == {}


async def test_a_file_read_while_its_skill_was_looked_at_costs_nothing() -> None:
    """[ours: small files are hashed from the one GET that keeps them]"""
    store = CountingStore(MemoryStore(NESTED))
    provider = provider_of(store, options=TreeOptions(freshness_s=5))
    page = await provider.list(Page(limit=1), ANYONE)
    store.calls.clear()
    await provider.read(page.entries[0].path, "SKILL.md", ANYONE)
    assert store.calls == {}


@pytest.mark.parametrize(("waited_s", "calls"), [(0, {"get": 1}), (5, {"list_page": 1, "get": 1})])
async def test_the_first_read_of_a_file_of_a_known_skill_costs_one_call_and_later_two(
    waited_s: float, calls: dict[str, int]
) -> None:
    """[ours: cold read of a known skill <= 2 calls]"""
    big = {"org/a/SKILL.md": skill_md("a"), "org/a/data.json": b"1" * 100_000}
    store, clock = CountingStore(MemoryStore(big)), Clock()
    provider = provider_of(store, options=TreeOptions(freshness_s=5), now=clock)
    await provider.list(Page(limit=1), ANYONE)
    store.calls.clear()
    clock.now_s += waited_s
    await provider.read(SkillPath("org/a"), "data.json", ANYONE)
    assert store.calls == calls


async def test_get_costs_one_head_a_segment_one_listing_and_the_head_of_skill_md() -> None:
    """[ours]"""
    store = CountingStore(MemoryStore({"org/team/a/SKILL.md": skill_md("a"), **skills(5000)}))
    assert await provider_of(store).get(SkillPath("org/team/a"), ANYONE) is not None
    assert store.calls == {"head": 3, "list_page": 1, "get_range": 1}


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
