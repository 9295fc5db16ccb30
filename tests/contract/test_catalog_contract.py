"""A catalogue as clients see it: what it publishes, its options, and its pages while it is loaded again."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from mcp.server import MCPServer

from gateway.catalog.catalog import SkillCatalog
from gateway.catalog.files import FoundFile, MemoryFiles
from gateway.errors import StoreUnavailable
from gateway.protocol.options import AdapterOptions
from gateway.protocol.wire import entry_json
from gateway.skill.assembly import Limits
from gateway.skill.model import Problem
from gateway.web.library import http_app
from tests.catalog.skills import TREE, skill_md
from tests.protocol.host import Era, Host, serving
from tests.protocol.providers import KEY, host_of


def many(count: int) -> dict[str, bytes]:
    return {f"s{number:03}/SKILL.md": skill_md(f"s{number:03}") for number in range(count)}


def attached(catalog: SkillCatalog):
    server = MCPServer("test")
    catalog.attach(server)
    return serving(http_app(server))


async def test_entries_are_what_clients_receive_in_the_order_of_uris(era: Era) -> None:
    """[ours: entries] The tuple itself is immutable, and so is each entry."""
    catalog = await SkillCatalog.load(MemoryFiles(TREE))
    async with attached(catalog) as host:
        skills = (await host.call(era, "skills/list")).result["skills"]
    assert json.dumps(skills) == json.dumps([entry_json(entry) for entry in catalog.entries])
    assert [skill["uri"] for skill in skills] == sorted(skill["uri"] for skill in skills)
    with pytest.raises(AttributeError):
        catalog.entries[0].path = "other"  # type: ignore[misc]


async def test_a_page_has_a_hundred_entries_unless_told_otherwise(era: Era) -> None:
    """[ours: page size, cache hints]"""
    untold = await SkillCatalog.load(MemoryFiles(many(101)))
    told = await SkillCatalog.load(
        MemoryFiles(many(101)), options=AdapterOptions((KEY,), page_size=7, ttl_ms=5000, cache_scope="public")
    )
    async with attached(untold) as host, attached(told) as other:
        first, seven = [(await one.call(era, "skills/list")).result for one in (host, other)]
    assert (len(first["skills"]), len(seven["skills"])) == (100, 7)
    hints = (5000, "public") if era == "modern" else (None, None)
    assert (seven.get("ttlMs"), seven.get("cacheScope")) == hints


async def test_a_skill_past_the_limits_is_served_with_a_warning() -> None:
    """[ours: limits] Recommendations of SEP-2640; strict does not turn them into refusals."""
    warnings: list[Problem] = []
    for strict in (False, True):
        catalog = await SkillCatalog.load(
            MemoryFiles(TREE), limits=Limits(files=1, size_bytes=1), strict=strict, on_warning=warnings.append
        )
        assert len(catalog.entries) == 4
    assert {problem.code for problem in warnings} == {"many_files", "many_bytes"}
    assert {problem.where for problem in warnings} == {entry.path for entry in catalog.entries}


class SometimesDown:
    """Fails as often as `failures` says; waits for `gate` before it lists the root."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.inner, self.failures, self.gate, self.waits = MemoryFiles(files), 0, asyncio.Event(), asyncio.Event()
        self.gate.set()

    async def list_directory(self, path: str) -> Sequence[FoundFile]:
        if not path:
            self.waits.set()
            await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("down")
        return await self.inner.list_directory(path)

    async def read(self, path: str) -> bytes:
        return await self.inner.read(path)


async def rest(host: Host, era: Era, cursor: str | None) -> list[str]:
    names: list[str] = []
    while cursor is not None:
        result = (await host.call(era, "skills/list", {"cursor": cursor})).result
        names += [skill["frontmatter"]["name"] for skill in result["skills"]]
        cursor = result.get("nextCursor")
    return names


async def test_a_reload_that_waits_behind_one_that_fails_succeeds() -> None:
    """[ours: overlapping calls run one after another, each all or nothing]"""
    files = many(3)
    source = SometimesDown(files)
    catalog = await SkillCatalog.load(source)
    before = catalog.entries
    files["new/SKILL.md"] = skill_md("new")
    source.failures, source.waits = 1, asyncio.Event()
    source.gate.clear()
    first, second = asyncio.create_task(catalog.reload()), asyncio.create_task(catalog.reload())
    await source.waits.wait()
    assert (catalog.entries is before, second.done()) == (True, False)
    source.gate.set()
    with pytest.raises(StoreUnavailable):
        await first
    assert (await second).added == ("new",)


@pytest.mark.parametrize("fails", [False, True])
async def test_clients_page_on_while_the_catalogue_is_loaded_again(fails: bool, era: Era) -> None:
    """[ours] What did not change comes once, whether the reload succeeds or not."""
    files = many(20)
    source = SometimesDown(files)
    catalog = await SkillCatalog.load(source)
    async with host_of(catalog, page_size=6) as host:
        first = (await host.call(era, "skills/list")).result
        del files["s005/SKILL.md"], files["s010/SKILL.md"]
        files["a/SKILL.md"] = skill_md("a")
        source.failures, source.waits = int(fails), asyncio.Event()
        source.gate.clear()
        reload = asyncio.create_task(catalog.reload())
        await source.waits.wait()
        second = (await host.call(era, "skills/list", {"cursor": first["nextCursor"]})).result
        source.gate.set()
        (result,) = await asyncio.gather(reload, return_exceptions=True)
        names = [skill["frontmatter"]["name"] for page in (first, second) for skill in page["skills"]]
        names += await rest(host, era, second["nextCursor"])
    assert isinstance(result, StoreUnavailable) is fails
    assert names == [f"s{number:03}" for number in range(20)]
