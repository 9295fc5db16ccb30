"""Catalogues of several processes that share a bus: a change that one sees reaches the clients of all.

Each has a bus of its own that sends what is published to the others in datagrams, as one over a broker would.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp import Client
from mcp.client.subscriptions import ResourcesListChanged
from mcp.server import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ServerEvent
from mcp.server.subscriptions import ResourcesListChanged as Changed

from gateway import MemoryFiles, SkillCatalog
from tests.catalog.skills import skill_md
from tests.catalog.test_changes import names, next_event


class DatagramBus(InMemorySubscriptionBus, asyncio.DatagramProtocol):
    """Delivers here and tells the others, who deliver there."""

    transport: asyncio.DatagramTransport

    def __init__(self) -> None:
        super().__init__()
        self.others: list[tuple[str, int]] = []

    async def publish(self, event: ServerEvent) -> None:
        await super().publish(event)
        for other in self.others:
            self.transport.sendto(b"list changed", other)

    def datagram_received(self, data: bytes, addr: object) -> None:
        assert data == b"list changed"
        self._told = asyncio.ensure_future(super().publish(Changed()))


@asynccontextmanager
async def replica(files: dict[str, bytes]) -> AsyncIterator[tuple[MCPServer, DatagramBus, SkillCatalog]]:
    """A server over files that many share; it looks again when it hears of a change."""
    transport, bus = await asyncio.get_running_loop().create_datagram_endpoint(DatagramBus, ("127.0.0.1", 0))
    bus.transport = transport
    catalog = await SkillCatalog.load(MemoryFiles(files))
    server = MCPServer("replica", subscriptions=bus)
    catalog.attach(server)
    reloads: set[asyncio.Task[object]] = set()
    bus.subscribe(lambda event: reloads.add(asyncio.create_task(catalog.reload())))
    try:
        yield server, bus, catalog
    finally:
        await asyncio.gather(*reloads)
        transport.close()


async def test_a_change_that_one_process_sees_reaches_the_clients_of_another() -> None:
    """[ours: list_changed] And what they list then is new."""
    files = {"kit/SKILL.md": skill_md("kit")}
    async with replica(files) as (_, here, catalog), replica(files) as (far, there, _):
        here.others.append(there.transport.get_extra_info("sockname"))
        there.others.append(here.transport.get_extra_info("sockname"))
        async with Client(far) as client, client.listen(resources_list_changed=True) as events:
            files["new/SKILL.md"] = skill_md("new")
            assert (await catalog.reload()).list_changed
            async with asyncio.timeout(10):
                while "new" not in await names(client):
                    assert await next_event(events) == ResourcesListChanged()
