"""Hosts that know nothing of the extension: they find and read every skill by tools, and by prompts."""

import base64
from collections.abc import Iterator
from typing import Any

import fastmcp
import mcp_types
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.skills import SkillsClientExtension
from mcp import Client

from gateway.protocol.prompts import prompt_name
from tests.clients.tree import homes, tree
from tests.serving import serving
from tests.stores import S3Bucket

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(scope="session")
def fallback_url(tree_bucket: S3Bucket) -> Iterator[str]:
    with serving(tree_bucket, page_size=3, tools="auto", prompts="auto") as url:
        yield url


async def called(client: Client, name: str, **arguments: Any) -> mcp_types.CallToolResult:
    result = await client.call_tool(name, arguments)
    assert isinstance(result, mcp_types.CallToolResult)
    assert not result.is_error, result.content
    return result


def bytes_of(block: Any) -> bytes:
    """What a block of content holds."""
    if isinstance(block, mcp_types.TextContent):
        return block.text.encode()
    resource = block.resource
    return resource.text.encode() if hasattr(resource, "text") else base64.b64decode(resource.blob)


@MODES
async def test_the_tools_find_load_and_read_every_skill(fallback_url: str, mode: str) -> None:
    """[ours] Byte for byte, in both eras."""
    async with Client(fallback_url, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"list_skills", "load_skill", "read_skill_file"}
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        listed = (await called(client, "list_skills")).structured_content
        assert listed is not None
        assert {skill["uri"].removesuffix("/SKILL.md") for skill in listed["skills"]} == homes()
        for skill in listed["skills"]:
            path = skill["path"]
            own = {key.removeprefix(f"{path}/"): data for key, data in tree().items() if key.startswith(f"{path}/")}
            loaded = (await called(client, "load_skill", skill=path)).content
            assert bytes_of(loaded[0]) == own["SKILL.md"]
            for file, data in own.items():
                assert file == "SKILL.md" or file in loaded[1].text
                (block,) = (await called(client, "read_skill_file", skill=skill["uri"], file=file)).content
                assert bytes_of(block) == data
        found = (await called(client, "list_skills", query=listed["skills"][0]["name"])).structured_content
        assert found is not None
        assert listed["skills"][0] in found["skills"]


@MODES
async def test_there_is_a_prompt_for_each_skill(fallback_url: str, mode: str) -> None:
    """[ours] Its first message is the SKILL.md as it is."""
    async with Client(fallback_url, mode=mode) as client:
        page = await client.list_prompts()
        prompts = list(page.prompts)
        while page.next_cursor is not None:
            page = await client.list_prompts(cursor=page.next_cursor)
            prompts += page.prompts
        assert {prompt.name for prompt in prompts} == {prompt_name(home.removeprefix("skill://")) for home in homes()}
        for prompt in prompts:
            got = await client.get_prompt(prompt.name, {"task": "Do it."})
            key = prompt.name.replace(":", "/") + "/SKILL.md"
            assert bytes_of(got.messages[0].content) == tree()[key]
            assert got.messages[1].content.text.endswith("Do it.")


async def test_fastmcp_uses_the_tools_as_well(fallback_url: str) -> None:
    """[ours] And does not see them where it declares the extension."""
    async with fastmcp.Client(StreamableHttpTransport(fallback_url)) as client:
        assert len(await client.list_tools()) == 3
        listed = await client.call_tool("list_skills", {})
        assert len(listed.structured_content["skills"]) == len(homes())
    extensions = [SkillsClientExtension()]
    async with fastmcp.Client(StreamableHttpTransport(fallback_url), extensions=extensions) as client:
        assert await client.list_tools() == []
        assert await client.list_prompts() == []
        assert len(await client.list_skills()) == len(homes())
