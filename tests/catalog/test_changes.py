"""What clients hear when a catalogue was reloaded: every listener, in both eras, and only when the list changed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from mcp import Client
from mcp.client.subscriptions import ResourcesListChanged, ToolsListChanged
from mcp.server import MCPServer, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ServerEvent
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, ResourceListChangedNotification

from gateway import CatalogRefused, MemoryFiles, SkillCatalog, Skills, StaticSkill
from gateway.protocol.attach import AnyServer
from gateway.protocol.changes import ChangeSignal
from tests.catalog.listening import listening
from tests.catalog.skills import skill_md
from tests.clients.test_sdk_client import everything

Make = Callable[[], AnyServer]
WITHIN_S = 10
SERVERS = pytest.mark.parametrize("make", [lambda: MCPServer("high"), lambda: Server("low")], ids=["high", "low"])


class Heard:
    """The message handler of a client: counts what says that the list changed."""

    def __init__(self) -> None:
        self.count = 0
        self._more = asyncio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, ResourceListChangedNotification):
            self.count += 1
            self._more.set()

    async def next(self) -> None:
        async with asyncio.timeout(WITHIN_S):
            await self._more.wait()
        self._more.clear()


@asynccontextmanager
async def session(server: AnyServer, heard: Heard) -> AsyncIterator[Client]:
    """A handshake-era client that the server knows to be ready: it has answered what came after that."""
    async with Client(server, mode="legacy", message_handler=heard) as client:
        await everything(client, "skills/list", "skills")
        yield client


class Library:
    """A catalogue over files that tests change."""

    def __init__(self) -> None:
        self.files = {"kit/SKILL.md": skill_md("kit"), "kit/guide.md": b"# Guide\n"}
        self.catalog: SkillCatalog

    async def load(self) -> "Library":
        self.catalog = await SkillCatalog.load(MemoryFiles(self.files))
        return self

    async def add(self, name: str) -> None:
        self.files[f"{name}/SKILL.md"] = skill_md(name)
        assert (await self.catalog.reload()).list_changed

    async def change_no_list(self) -> None:
        """A reload after another text in a file, and one after nothing."""
        self.files["kit/guide.md"] += b"More.\n"
        assert (await self.catalog.reload()).changed == ("kit",)
        assert (await self.catalog.reload()).changed == ()


async def names(client: Client) -> list[str]:
    skills = await everything(client, "skills/list", "skills")
    return [skill["uri"].split("/")[-2] for skill in skills]


async def next_event(events: Any) -> object:
    async with asyncio.timeout(WITHIN_S):
        return await anext(events)


@SERVERS
async def test_a_listening_client_hears_that_the_list_changed(make: Make) -> None:
    """[ours: reload; MCP 2026-07-28 subscriptions/listen]"""
    library, server = await Library().load(), make()
    library.catalog.attach(server)
    async with Client(server) as client, client.listen(resources_list_changed=True) as events:
        for name in ("one", "two"):
            await library.add(name)
            assert await next_event(events) == ResourcesListChanged()
            assert name in await names(client)


@SERVERS
async def test_a_connected_session_hears_that_the_list_changed(make: Make) -> None:
    """[ours: reload; MCP 2025-11-25 notifications/resources/list_changed]"""
    library, server, heard = await Library().load(), make(), Heard()
    library.catalog.attach(server)
    async with session(server, heard) as client:
        for name in ("one", "two"):
            await library.add(name)
            await heard.next()
            assert name in await names(client)
    assert heard.count == 2


@pytest.mark.parametrize("change", ["added", "removed", "described"])
async def test_each_change_of_the_list_is_told_once(change: str) -> None:
    """[ours: list_changed]"""
    library, server, heard = await Library().load(), Server[Any]("low"), Heard()
    await library.add("old")
    library.catalog.attach(server)
    async with session(server, heard):
        if change == "added":
            library.files["new/SKILL.md"] = skill_md("new")
        elif change == "removed":
            del library.files["old/SKILL.md"]
        else:
            library.files["old/SKILL.md"] = skill_md("old", "Another description.")
        await library.catalog.reload()
        await heard.next()
        await library.catalog.reload()
        await library.add("last")
        await heard.next()
    assert heard.count == 2


@SERVERS
async def test_a_session_hears_nothing_of_changes_inside_files(make: Make) -> None:
    """[ours: list_changed] Notifications arrive in their order, so the one that comes is of the last reload."""
    library, server, heard = await Library().load(), make(), Heard()
    library.catalog.attach(server)
    async with session(server, heard):
        await library.change_no_list()
        await library.add("one")
        await heard.next()
        await library.change_no_list()
        await library.add("two")
        await heard.next()
    assert heard.count == 2


@pytest.mark.parametrize("is_high", [True, False], ids=["high", "low"])
async def test_a_listener_hears_nothing_of_changes_inside_files(is_high: bool) -> None:
    """[ours: list_changed] The bus is the server's own, and what it publishes itself arrives first."""
    bus = InMemorySubscriptionBus()
    server: AnyServer
    server = (
        MCPServer("high", subscriptions=bus) if is_high else Server("low", on_subscriptions_listen=ListenHandler(bus))
    )
    library = await Library().load()
    library.catalog.attach(server)
    async with (
        Client(server) as client,
        client.listen(resources_list_changed=True, tools_list_changed=True) as events,
    ):
        await library.change_no_list()
        await bus.publish(ToolsListChanged())
        assert await next_event(events) == ToolsListChanged()
        await library.add("one")
        assert await next_event(events) == ResourcesListChanged()


async def test_a_failed_reload_tells_nobody() -> None:
    """[ours: reload, all or nothing]"""
    library = Library()
    library.catalog = await SkillCatalog.load(MemoryFiles(library.files), strict=True)
    server, heard = Server[Any]("low"), Heard()
    library.catalog.attach(server)
    async with session(server, heard) as client:
        library.files["bad/SKILL.md"] = skill_md("other")
        library.files["new/SKILL.md"] = skill_md("new")
        with pytest.raises(CatalogRefused):
            await library.catalog.reload()
        assert await names(client) == ["kit"]
        del library.files["bad/SKILL.md"]
        assert (await library.catalog.reload()).list_changed
        await heard.next()
    assert heard.count == 1


async def test_a_client_that_did_not_ask_hears_nothing() -> None:
    """[MCP 2026-07-28] A stream carries what was asked for; other kinds are not sent."""
    bus = InMemorySubscriptionBus()
    server, library = MCPServer("high", subscriptions=bus), await Library().load()
    library.catalog.attach(server)
    async with Client(server) as client, client.listen(tools_list_changed=True) as events:
        await library.add("one")
        await bus.publish(ToolsListChanged())
        assert await next_event(events) == ToolsListChanged()


@SERVERS
async def test_a_session_that_went_away_does_not_disturb_the_next_one(make: Make) -> None:
    """[ours] Nor those that were there beside it."""
    library, server = await Library().load(), make()
    library.catalog.attach(server)
    stays, leaves, comes = Heard(), Heard(), Heard()
    async with session(server, stays):
        async with session(server, leaves):
            await library.add("one")
            await leaves.next()
            await stays.next()
        await library.add("two")
        await stays.next()
        async with session(server, comes):
            await library.add("three")
            await comes.next()
            await stays.next()
    await library.add("four")
    assert (stays.count, leaves.count, comes.count) == (3, 1, 1)


async def test_a_session_that_reads_no_more_holds_nobody_up() -> None:
    """[ours] It is given up after a while; the others hear at once, and it is not waited for again."""
    signal, server, heard = ChangeSignal(send_within_s=0.05), Server[Any]("low"), Heard()
    Skills([StaticSkill("kit", {"SKILL.md": skill_md("kit")})], signal=signal).attach(server)
    async with (
        connected_and_silent(server),
        session(server, heard),
        asyncio.timeout(WITHIN_S),
    ):
        for _ in range(2):
            await signal.list_changed()
            await heard.next()
    assert heard.count == 2


@asynccontextmanager
async def connected_and_silent(server: Server[Any]) -> AsyncIterator[None]:
    """A handshake-era client that shakes hands and then reads nothing at all."""
    async with create_client_server_memory_streams() as ((answers, requests), (read, write)):
        running = asyncio.create_task(server.run(read, write, server.create_initialization_options()))
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "silent", "version": "1"}}
        request = JSONRPCRequest(jsonrpc="2.0", id=1, method="initialize", params=hello)
        await requests.send(SessionMessage(request))
        await answers.receive()
        ready = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
        await requests.send(SessionMessage(ready))
        await requests.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=2, method="ping")))
        await answers.receive()
        yield
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


class BrokenBus(InMemorySubscriptionBus):
    """A bus whose other end is gone; counts what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.published = 0

    async def publish(self, event: ServerEvent) -> None:
        self.published += 1
        raise ConnectionError("the bus is gone")


async def test_a_bus_that_fails_fails_no_reload() -> None:
    """[ours] The catalogue is swapped by then, and the others are still told."""
    library, heard = await Library().load(), Heard()
    broken, low = MCPServer("broken", subscriptions=BrokenBus()), Server[Any]("low")
    library.catalog.attach(broken)
    library.catalog.attach(low)
    async with (
        session(low, heard),
        Client(low) as modern,
        modern.listen(resources_list_changed=True) as events,
    ):
        await library.add("one")
        assert await next_event(events) == ResourcesListChanged()
        await heard.next()


async def test_a_bus_of_several_servers_is_told_once() -> None:
    """[ours]"""
    library, bus = await Library().load(), BrokenBus()
    for name in ("one", "two"):
        library.catalog.attach(MCPServer(name, subscriptions=bus))
    await library.add("more")
    assert bus.published == 1


@SERVERS
async def test_a_stream_that_ended_does_not_disturb_the_next_one(make: Make) -> None:
    """[ours]"""
    library, server = await Library().load(), make()
    library.catalog.attach(server)
    async with Client(server) as client:
        async with client.listen(resources_list_changed=True) as events:
            await library.add("one")
            assert await next_event(events) == ResourcesListChanged()
        await library.add("two")
        async with client.listen(resources_list_changed=True) as events:
            await library.add("three")
            assert await next_event(events) == ResourcesListChanged()


async def test_clients_of_every_server_and_era_hear_one_reload() -> None:
    """[ours: one instance, any number of servers]"""
    library, heard = await Library().load(), (Heard(), Heard())
    high, low = MCPServer("high"), Server[Any]("low")
    library.catalog.attach(high)
    library.catalog.attach(low)
    async with (
        session(high, heard[0]),
        session(low, heard[1]),
        Client(high) as first,
        Client(low) as second,
        first.listen(resources_list_changed=True) as of_high,
        second.listen(resources_list_changed=True) as of_low,
    ):
        await library.add("one")
        for events in (of_high, of_low):
            assert await next_event(events) == ResourcesListChanged()
        for one in heard:
            await one.next()
    assert [one.count for one in heard] == [1, 1]


@SERVERS
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_server_says_that_it_tells_of_changes(make: Make, mode: str) -> None:
    """[MCP Resources: listChanged] Once it is attached to."""
    library, server = await Library().load(), make()
    library.catalog.attach(server)
    async with Client(server, mode=mode) as client:
        resources = client.server_capabilities.resources
        assert resources is not None
        assert resources.list_changed is True


@SERVERS
async def test_a_server_that_cannot_reach_its_sessions_does_not_say_that_it_tells(make: Make) -> None:
    """[MCP 2025-11-25 Resources: listChanged] Over stateless HTTP: those of 2025 have no channel, a stream has."""
    library, server = await Library().load(), make()
    library.catalog.attach(server)
    async with listening(server) as url:
        async with Client(url, mode="legacy") as client:
            resources = client.server_capabilities.resources
            assert resources is not None
            assert not resources.list_changed
        async with Client(url) as client, client.listen(resources_list_changed=True) as events:
            await library.add("one")
            assert await next_event(events) == ResourcesListChanged()
