"""The MCP SDK's own client as a host: in process and over HTTP, on both revisions, over every real store."""

import base64
from hashlib import sha256
from typing import Any, Literal

import mcp_types
import pytest
from mcp import Client, MCPError
from pydantic import ConfigDict

from gateway.protocol.server import build_server
from tests.clients.tree import homes, tree
from tests.protocol.providers import adapter_of, tree_of
from tests.stores import S3Bucket

EXTENSION = "io.modelcontextprotocol/skills"
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])
"""`auto` asks for the newest revision, 2026-07-28."""


class Answer(mcp_types.Result):
    """Any result, as it came."""

    model_config = ConfigDict(extra="allow")


async def ask(client: Client, method: str, **params: Any) -> dict[str, Any]:
    request = mcp_types.Request[dict[str, Any], Literal["skills/list"]].model_construct(method=method, params=params)
    return (await client.session.send_request(request, Answer)).model_dump(by_alias=True)


async def everything(client: Client, method: str, item: str, **params: Any) -> list[dict[str, Any]]:
    result = await ask(client, method, **params)
    found = result[item]
    while "nextCursor" in result:
        result = await ask(client, method, **params, cursor=result["nextCursor"])
        found += result[item]
    return found


async def read(client: Client, uri: str) -> bytes:
    (content,) = (await client.read_resource(uri)).contents
    assert content.uri == uri
    if isinstance(content, mcp_types.TextResourceContents):
        return content.text.encode()
    return base64.b64decode(content.blob)


async def assert_serves_the_tree(client: Client) -> None:
    """Lists every skill, gets each, reads every file of its manifest, and finds it again by directories."""
    skills = await everything(client, "skills/list", "skills")
    assert {skill["uri"].removesuffix("/SKILL.md") for skill in skills} == homes()
    contents: list[bytes] = []
    for skill in skills:
        assert (await ask(client, "skills/get", uri=skill["uri"]))["skill"] == skill
        for file in skill["resources"]:
            data = await read(client, file["uri"])
            assert (len(data), f"sha256:{sha256(data).hexdigest()}") == (file["size"], file["digest"])
            contents.append(data)
        assert await walked(client, skill["uri"].removesuffix("/SKILL.md")) == {
            file["uri"]: file["size"] for file in skill["resources"]
        }
    assert sorted(contents) == sorted(tree().values())


async def walked(client: Client, directory: str) -> dict[str, int]:
    """URI and size of every file below a directory, by directory reads alone."""
    files: dict[str, int] = {}
    for child in await everything(client, "resources/directory/read", "resources", uri=directory):
        if child["mimeType"] == "inode/directory":
            files |= await walked(client, child["uri"])
        else:
            files[child["uri"]] = child["size"]
    return files


@MODES
async def test_a_client_in_process_gets_every_byte(tree_bucket: S3Bucket, mode: str) -> None:
    """[ours] Low-level server, no HTTP."""
    async with tree_bucket.open() as store:
        adapter = adapter_of(tree_of(store, allow_binary=True, freshness_s=5), page_size=3)
        server = build_server(adapter, name="test", version="1", instructions="Read on.")
        async with Client(server, mode=mode) as client:
            await assert_serves_the_tree(client)


@MODES
async def test_a_client_over_http_gets_every_byte(url: str, mode: str) -> None:
    """[ours]"""
    async with Client(url, mode=mode) as client:
        await assert_serves_the_tree(client)


@MODES
async def test_a_client_sees_the_extension_and_what_the_server_says(url: str, mode: str) -> None:
    """[SDK trap: handshake revisions drop `extensions`]"""
    async with Client(url, mode=mode) as client:
        capabilities, instructions = client.server_capabilities, client.instructions
        templates = (await client.list_resource_templates()).resource_templates
    assert (capabilities.extensions or {})[EXTENSION] == {"directoryRead": True}
    assert "SKILL.md" in (instructions or "")
    assert [template.uri_template for template in templates] == ["skill://{+path}"]


@MODES
async def test_a_client_is_told_what_it_asked_wrongly(url: str, mode: str) -> None:
    """[SEP-2640 errors]"""
    async with Client(url, mode=mode) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource("skill://nobody/SKILL.md")
    assert (refused.value.error.code, refused.value.error.data) == (-32602, {"uri": "skill://nobody/SKILL.md"})
