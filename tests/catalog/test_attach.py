"""Putting skills on somebody else's server: what it gains, what it keeps, and when it is left alone."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import httpx
import mcp_types
import pytest
from mcp import Client, MCPError
from mcp.server import MCPServer, Server
from mcp.server.extension import Extension
from mcp.server.mcpserver.resources import TextResource
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from gateway import AdapterOptions, AttachRefused, MemoryFiles, SkillCatalog, Skills, StaticSkill, http_app
from gateway.protocol.attach import AnyServer, low_level
from tests.catalog.skills import skill_md
from tests.clients.test_sdk_client import EXTENSION, ask, everything, read

KEY = b"k" * 32
KIT = {"SKILL.md": skill_md("kit"), "docs/guide.md": b"# Guide\n"}
PAD = {"SKILL.md": skill_md("pad")}
OURS = ["skill://kit/SKILL.md", "skill://pad/SKILL.md"]
THEIRS = ["notes://0", "notes://1", "notes://2", "notes://3", "notes://4"]
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


def skills(**options: Any) -> Skills:
    """Two skills, one on a page."""
    sources = [StaticSkill("kit", KIT), StaticSkill("pad", PAD)]
    return Skills(sources, AdapterOptions((KEY,), **{"directory_read": True, "page_size": 1, **options}))


def high() -> MCPServer[Any]:
    """A high-level server with resources, a template and a tool of its own."""
    server = MCPServer("mine")

    for uri in THEIRS:
        server.add_resource(TextResource(uri=uri, name=uri, text=f"text of {uri}"))

    @server.resource("notes://by-name/{name}")
    def by_name(name: str) -> str:
        return f"about {name}"

    @server.tool()
    def double(number: int) -> int:
        return 2 * number

    return server


def low() -> Server[Any]:
    """A low-level server that pages through its own resources, two at a time, with cursors of its own."""

    async def listed(ctx: object, params: mcp_types.PaginatedRequestParams | None) -> mcp_types.ListResourcesResult:
        first = int((params and params.cursor) or 0)
        found = [mcp_types.Resource(uri=uri, name=uri) for uri in THEIRS[first : first + 2]]
        following = str(first + 2) if first + 2 < len(THEIRS) else None
        return mcp_types.ListResourcesResult(resources=found, next_cursor=following)

    async def read_one(ctx: object, params: mcp_types.ReadResourceRequestParams) -> mcp_types.ReadResourceResult:
        if params.uri not in THEIRS:
            raise MCPError(-32002, f"no {params.uri}")
        content = mcp_types.TextResourceContents(uri=params.uri, text=f"text of {params.uri}")
        return mcp_types.ReadResourceResult(contents=[content])

    async def templates(
        ctx: object, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListResourceTemplatesResult:
        found = mcp_types.ResourceTemplate(uri_template="notes://by-name/{name}", name="by_name")
        return mcp_types.ListResourceTemplatesResult(resource_templates=[found])

    async def tools(ctx: object, params: mcp_types.PaginatedRequestParams | None) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[mcp_types.Tool(name="double", input_schema={"type": "object"})])

    async def call(ctx: object, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        doubled = str(2 * (params.arguments or {})["number"])
        return mcp_types.CallToolResult(content=[mcp_types.TextContent(text=doubled)])

    return Server(
        "mine",
        on_list_resources=listed,
        on_read_resource=read_one,
        on_list_resource_templates=templates,
        on_list_tools=tools,
        on_call_tool=call,
    )


def bare() -> Server[Any]:
    """A low-level server that serves nothing."""
    return Server("bare")


SERVERS = pytest.mark.parametrize("make", [high, low], ids=["high", "low"])
ALL_SERVERS = pytest.mark.parametrize("make", [high, low, bare], ids=["high", "low", "bare"])
Make = Callable[[], AnyServer]


def state(server: AnyServer) -> list[Any]:
    """All that attaching changes in a server."""
    below = cast("Any", low_level(server))
    return [dict(below._request_handlers), dict(below.extensions), list(below.middleware)]


@ALL_SERVERS
@MODES
async def test_a_server_gains_the_extension_and_its_methods(make: Make, mode: str) -> None:
    """[ours: attach; ours: both servers, both eras]"""
    server = make()
    skills().attach(server)
    async with Client(server, mode=mode) as client:
        assert (client.server_capabilities.extensions or {})[EXTENSION] == {"directoryRead": True}
        listed = await everything(client, "skills/list", "skills")
        assert [skill["uri"] for skill in listed] == OURS
        assert (await ask(client, "skills/get", uri=OURS[0]))["skill"] == listed[0]
        root = await everything(client, "resources/directory/read", "resources", uri="skill://kit")
        assert {child["uri"] for child in root} == {"skill://kit/SKILL.md", "skill://kit/docs"}
        assert await read(client, "skill://kit/docs/guide.md") == b"# Guide\n"
        assert [item["uri"] for item in await everything(client, "resources/list", "resources")][:2] == OURS
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "skill://{+path}"


@ALL_SERVERS
async def test_without_directory_reads_the_method_stays_unknown(make: Make) -> None:
    """[ours: off by default]"""
    server = make()
    skills(directory_read=False).attach(server)
    async with Client(server) as client:
        assert (client.server_capabilities.extensions or {})[EXTENSION] == {}
        with pytest.raises(MCPError) as refused:
            await ask(client, "resources/directory/read", uri="skill://kit")
    assert refused.value.error.code == -32601


@SERVERS
@MODES
async def test_what_the_server_had_stays_beside_the_skills(make: Make, mode: str) -> None:
    """[ours: attach] Its resources, templates and tools."""
    server = make()
    skills().attach(server)
    async with Client(server, mode=mode) as client:
        for uri in THEIRS:
            assert await read(client, uri) == f"text of {uri}".encode()
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["skill://{+path}", "notes://by-name/{name}"]
        assert [tool.name for tool in (await client.list_tools()).tools] == ["double"]
        (answer,) = (await client.call_tool("double", {"number": 21})).content
        assert cast("mcp_types.TextContent", answer).text == "42"


@SERVERS
@MODES
@pytest.mark.parametrize("page_size", [1, 2, 50])
async def test_the_resources_of_both_are_listed_each_once(make: Make, mode: str, page_size: int) -> None:
    """[ours] Ours, then theirs, whatever the page sizes."""
    server = make()
    skills(page_size=page_size).attach(server)
    async with Client(server, mode=mode) as client:
        listed = await everything(client, "resources/list", "resources")
    assert [item["uri"] for item in listed] == OURS + THEIRS


@SERVERS
async def test_a_cursor_that_was_not_given_for_the_list_is_refused(make: Make) -> None:
    """[ours: cursors] Nor do the server's own cursors get past ours."""
    server = make()
    skills().attach(server)
    async with Client(server) as client:
        first = (await ask(client, "resources/list"))["nextCursor"]
        second = (await ask(client, "resources/list", cursor=first))["nextCursor"]
        foreign = (await ask(client, "skills/list"))["nextCursor"]
        altered = second[:-6] + ("A" if second[-6] != "A" else "B") + second[-5:]
        for cursor in ("", "2", "0", foreign, altered, second + "A", second[:-4]):
            with pytest.raises(MCPError) as refused:
                await ask(client, "resources/list", cursor=cursor)
            assert refused.value.error.code == -32602, cursor
        for cursor in (first, second):
            with pytest.raises(MCPError) as refused:
                await ask(client, "skills/list", cursor=cursor)
            assert refused.value.error.code == -32602


async def test_a_server_answers_for_its_own_as_slowly_and_as_badly_as_before() -> None:
    """[ours: attach] Neither our deadline nor our error texts are put on what is not ours."""

    async def read_one(ctx: object, params: mcp_types.ReadResourceRequestParams) -> mcp_types.ReadResourceResult:
        if params.uri == "notes://bad":
            raise RuntimeError("the note is bad")
        await asyncio.sleep(0)  # longer than no time at all
        await asyncio.sleep(0)
        content = mcp_types.TextResourceContents(uri=params.uri, text="slow")
        return mcp_types.ReadResourceResult(contents=[content])

    async def refusal(server: Server[Any]) -> mcp_types.ErrorData:
        async with Client(server, mode="legacy") as client:
            with pytest.raises(MCPError) as refused:
                await client.read_resource("notes://bad")
        return refused.value.error

    before, server = Server[Any]("mine", on_read_resource=read_one), Server[Any]("mine", on_read_resource=read_one)
    skills(request_timeout_s=0).attach(server)
    assert await refusal(server) == await refusal(before)
    async with Client(server, mode="legacy") as client:
        assert await read(client, "notes://slow") == b"slow"


@ALL_SERVERS
async def test_a_second_attach_of_the_same_does_nothing(make: Make) -> None:
    """[ours: attach]"""
    server, ours = make(), skills()
    ours.attach(server)
    before = state(server)
    ours.attach(server)
    assert state(server) == before
    async with Client(server) as client:
        ours.attach(server)
        assert [one["uri"] for one in await everything(client, "skills/list", "skills")] == OURS
    assert state(server) == before


class OtherSkills(Extension):
    """Somebody else's extension of the same name."""

    identifier = EXTENSION


def with_extension(server: AnyServer) -> None:
    low_level(server).extensions[EXTENSION] = {"directoryRead": False}


def with_other_skills(server: AnyServer) -> None:
    Skills([StaticSkill("pad", PAD)]).attach(server)


def with_method(method: str) -> Callable[[AnyServer], None]:
    async def handler(ctx: object, params: mcp_types.RequestParams) -> dict[str, Any]:
        return {}

    def prepare(server: AnyServer) -> None:
        low_level(server).add_request_handler(method, mcp_types.RequestParams, handler)

    return prepare


@ALL_SERVERS
@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (with_extension, "has a skills extension already"),
        (with_other_skills, "has a skills extension already"),
        (with_method("skills/list"), "handles skills/list already"),
        (with_method("skills/get"), "handles skills/get already"),
        (with_method("resources/directory/read"), "handles resources/directory/read already"),
    ],
)
def test_a_server_with_skills_of_its_own_is_left_as_it_was(
    make: Make, prepare: Callable[[AnyServer], None], says: str
) -> None:
    """[ours: attach]"""
    server = make()
    prepare(server)
    before = state(server)
    with pytest.raises(AttachRefused, match=says):
        skills().attach(server)
    assert state(server) == before


def test_a_server_that_was_made_with_a_skills_extension_is_refused() -> None:
    """[ours: attach] The way of the SDK's high-level server."""
    server = MCPServer("mine", extensions=[OtherSkills()])
    before = state(server)
    with pytest.raises(AttachRefused, match="has a skills extension already"):
        skills().attach(server)
    assert state(server) == before


@ALL_SERVERS
async def test_a_server_that_talks_to_a_client_is_left_as_it_was(make: Make) -> None:
    """[ours: attach; ours] Over streams. It may be attached to again afterwards."""
    server, ours = make(), skills()
    async with Client(server, mode="legacy") as client:
        before = state(server)
        with pytest.raises(AttachRefused, match="runs already"):
            ours.attach(server)
        assert state(server) == before
        assert EXTENSION not in (client.server_capabilities.extensions or {})
    ours.attach(server)
    async with Client(server, mode="legacy") as client:
        assert [one["uri"] for one in await everything(client, "skills/list", "skills")] == OURS


@ALL_SERVERS
@pytest.mark.parametrize("is_stateless", [True, False])
async def test_a_server_that_serves_http_is_left_as_it_was(make: Make, is_stateless: bool) -> None:
    """[ours: attach; ours] By the SDK's own session manager, before any client came."""
    server = make()
    app = server.streamable_http_app(stateless_http=is_stateless)
    async with app.router.lifespan_context(app):
        before = state(server)
        with pytest.raises(AttachRefused, match="runs already"):
            skills().attach(server)
        assert state(server) == before


@ALL_SERVERS
async def test_a_server_that_serves_our_own_app_is_left_as_it_was(make: Make) -> None:
    """[ours: attach] Through `http_app`; and it may be attached to again when that has ended."""
    server = make()
    app = http_app(server)
    async with app.router.lifespan_context(app):
        before = state(server)
        with pytest.raises(AttachRefused, match="runs already"):
            skills().attach(server)
        assert state(server) == before
    skills().attach(server)


@ALL_SERVERS
async def test_a_server_under_a_session_manager_of_its_users_own_is_left_as_it_was(make: Make) -> None:
    """[ours: attach] However its HTTP app was built."""
    server = make()
    manager = StreamableHTTPSessionManager(low_level(server), stateless=True)
    async with manager.run():
        before = state(server)
        with pytest.raises(AttachRefused, match="runs already"):
            skills().attach(server)
        assert state(server) == before


async def test_a_server_may_be_attached_to_between_making_its_app_and_starting_it() -> None:
    """[ours: attach] What counts is that it runs."""
    server = high()
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    skills().attach(server)
    body = {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client,
    ):
        answer = await client.post("/mcp", json=body, headers=headers)
    assert [skill["uri"] for skill in answer.json()["result"]["skills"]] == OURS[:1]


@MODES
async def test_one_instance_serves_any_number_of_servers(mode: str) -> None:
    """[ours: one instance, any number of servers] At once."""
    ours, one, two = skills(), high(), low()
    ours.attach(one)
    ours.attach(two)
    async with Client(one, mode=mode) as first, Client(two, mode=mode) as second:
        for client in (first, second):
            assert [skill["uri"] for skill in await everything(client, "skills/list", "skills")] == OURS
            assert await read(client, "skill://kit/docs/guide.md") == b"# Guide\n"


async def test_a_catalogue_serves_two_servers_what_it_reloads() -> None:
    """[ours: one instance, any number of servers]"""
    files = {"kit/SKILL.md": skill_md("kit")}
    catalog = await SkillCatalog.load(MemoryFiles(files))
    one, two = high(), bare()
    catalog.attach(one)
    catalog.attach(two)
    async with Client(one) as first, Client(two) as second:
        files["pad/SKILL.md"] = skill_md("pad")
        await catalog.reload()
        for client in (first, second):
            assert [skill["uri"] for skill in await everything(client, "skills/list", "skills")] == OURS
