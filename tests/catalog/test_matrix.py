"""Every source through every client: the same skill, the same bytes, whoever publishes and whoever asks."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import fastmcp
import mcp
import mcp_types
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.skills import SkillsClientExtension
from mcp.server import MCPServer, Server

from gateway import (
    AdapterOptions,
    Child,
    Content,
    DirectoryPage,
    DynamicSkill,
    FolderFiles,
    MemoryFiles,
    NotADirectory,
    NotServed,
    Page,
    SkillCatalog,
    SkillFiles,
    Skills,
    StaticSkill,
    StoreFiles,
)
from gateway.local.memory import MemoryStore
from gateway.protocol.attach import AnyServer
from gateway.skill.model import SkillEntry, SkillFile, SkillPath, digest_of
from tests.catalog.listening import listening
from tests.catalog.skills import skill_md
from tests.clients.test_sdk_client import ask, everything, read
from tests.conformance.typescript import Seen, seen_by_typescript
from tests.protocol.providers import KEY, Shelf, tree_of

ROOT = "skill://team/kit"
KIT = {
    "SKILL.md": skill_md("kit"),
    "data/pixel.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "data/table.csv": "a,b\r\n\u00e9,2\n".encode(),
}
TYPES = {"SKILL.md": "text/markdown", "data/pixel.png": "image/png", "data/table.csv": "text/csv"}
FILES = {f"team/kit/{name}": data for name, data in KIT.items()}
OPTIONS = AdapterOptions((KEY,), directory_read=True, page_size=1)

Attach = Callable[[AnyServer], None]


async def static(folder: Path) -> Attach:
    return Skills([StaticSkill("team/kit", KIT, allow_binary=True)], OPTIONS).attach


async def dynamic(folder: Path) -> Attach:
    """Everything but `SKILL.md` comes from the callbacks."""

    async def read_resource(uri: str) -> bytes:
        if (name := uri.removeprefix(f"{ROOT}/")) not in KIT:
            raise NotServed(f"{uri} is not there")
        return KIT[name]

    async def read_directory(uri: str, page: Page) -> DirectoryPage:
        names = {ROOT: ["data"], f"{ROOT}/data": ["pixel.png", "table.csv"]}.get(uri)
        if names is None:
            raise NotADirectory(f"{uri} is not there")
        served = names[page.offset : page.offset + page.limit]
        is_last = page.offset + len(served) == len(names)
        children = tuple(_child("data/" + name) if "." in name else Child(name, True) for name in served)
        return DirectoryPage(children, None if is_last else served[-1])

    skill = DynamicSkill(
        "team/kit", KIT["SKILL.md"], read_resource=read_resource, read_directory=read_directory, allow_binary=True
    )
    return Skills([skill], OPTIONS).attach


def _child(path: str) -> Child:
    return Child(path.rpartition("/")[2], False, len(KIT[path]), TYPES[path])


def catalogue(files_of: Callable[[Path], SkillFiles]) -> Callable[[Path], Awaitable[Attach]]:
    async def load(folder: Path) -> Attach:
        return (await SkillCatalog.load(files_of(folder), allow_binary=True, strict=True, options=OPTIONS)).attach

    return load


def in_folder(folder: Path) -> SkillFiles:
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return FolderFiles(folder)


def in_store(folder: Path) -> SkillFiles:
    return StoreFiles(MemoryStore({f"shelf/{name}": data for name, data in FILES.items()}), "shelf/")


async def tree(folder: Path) -> Attach:
    return Skills([tree_of(FILES, allow_binary=True)], OPTIONS).attach


async def own_provider(folder: Path) -> Attach:
    files = tuple(SkillFile(name, len(data), digest_of(data), TYPES[name]) for name, data in KIT.items())
    frontmatter = {"name": "kit", "description": "Use it when a test needs a skill."}
    entry = SkillEntry(SkillPath("team/kit"), frontmatter, files)
    contents = {("team/kit", name): Content(data, TYPES[name]) for name, data in KIT.items()}
    return Skills([Shelf((entry,), contents=contents, allow_binary=True)], OPTIONS).attach


SOURCES: Mapping[str, Callable[[Path], Awaitable[Attach]]] = {
    "static": static,
    "dynamic": dynamic,
    "memory catalogue": catalogue(lambda folder: MemoryFiles(FILES)),
    "folder catalogue": catalogue(in_folder),
    "store catalogue": catalogue(in_store),
    "tree": tree,
    "provider": own_provider,
}
ALL_SOURCES = pytest.mark.parametrize("source", SOURCES)


def entry_of(source: str) -> dict[str, Any]:
    """The entry that every client must receive."""
    listed = [{"uri": f"{ROOT}/{name}", "size": len(data), "digest": digest_of(data)} for name, data in KIT.items()]
    frontmatter = {"name": "kit", "description": "Use it when a test needs a skill."}
    resources = "dynamic" if source == "dynamic" else listed
    return {"uri": f"{ROOT}/SKILL.md", "frontmatter": frontmatter, "resources": resources}


async def walked(client: mcp.Client, directory: str) -> dict[str, tuple[int, str]]:
    """Size and media type of every file below a directory."""
    files: dict[str, tuple[int, str]] = {}
    for child in await everything(client, "resources/directory/read", "resources", uri=directory):
        if child["mimeType"] == "inode/directory":
            files |= await walked(client, child["uri"])
        else:
            files[child["uri"]] = (child["size"], child["mimeType"])
    return files


@ALL_SOURCES
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("make", [MCPServer, Server], ids=["high", "low"])
async def test_the_sdk_client_sees_the_same_skill(
    source: str, mode: str, make: Callable[[str], AnyServer], tmp_path: Path
) -> None:
    """[ours: both protocol eras, one matrix] In process."""
    server = make("any")
    (await SOURCES[source](tmp_path))(server)
    async with mcp.Client(server, mode=mode) as client:
        assert await everything(client, "skills/list", "skills") == [entry_of(source)]
        assert (await ask(client, "skills/get", uri=f"{ROOT}/SKILL.md"))["skill"] == entry_of(source)
        listed = await everything(client, "resources/list", "resources")
        assert [resource["uri"] for resource in listed] == [f"{ROOT}/SKILL.md"]
        places = await walked(client, ROOT)
        assert places == {f"{ROOT}/{name}": (len(data), TYPES[name]) for name, data in KIT.items()}
        for name, data in KIT.items():
            assert await read(client, f"{ROOT}/{name}") == data
        for uri in (f"{ROOT}/gone.md", f"{ROOT}/data", "skill://team/SKILL.md"):
            with pytest.raises(mcp.MCPError) as refused:
                await client.read_resource(uri)
            assert (refused.value.error.code, refused.value.error.data) == (-32602, {"uri": uri})


@ALL_SOURCES
async def test_fastmcp_sees_the_same_skill(source: str, tmp_path: Path) -> None:
    """[ours: both protocol eras, one matrix] Over HTTP; it reads a manifest's files verified."""
    server = MCPServer[Any]("any")
    (await SOURCES[source](tmp_path))(server)
    async with (
        listening(server) as url,
        fastmcp.Client(StreamableHttpTransport(url), extensions=[SkillsClientExtension()]) as client,
    ):
        (skill,) = await client.list_skills()
        assert skill.model_dump(by_alias=True, mode="json", exclude_none=True) == entry_of(source)
        assert await client.get_skill(skill.uri, cache_mode="bypass") == skill
        if source != "dynamic":
            assert (await client.read_skill(skill.uri)).files == KIT
        for name, data in KIT.items():
            (content,) = await client.read_resource(f"{ROOT}/{name}")
            assert bytes_of(content) == data


def bytes_of(content: mcp_types.TextResourceContents | mcp_types.BlobResourceContents) -> bytes:
    return content.text.encode() if hasattr(content, "text") else base64.b64decode(content.blob)


@ALL_SOURCES
async def test_the_typescript_client_sees_the_same_skill(source: str, tmp_path: Path, packages: Path) -> None:
    """[ours: both protocol eras, one matrix] Over HTTP; it verifies every file of a manifest."""
    server = MCPServer[Any]("any")
    (await SOURCES[source](tmp_path))(server)
    async with listening(server) as url:
        seen = await asyncio.to_thread(seen_by_typescript, packages, url, "2026-07-28")
    if source == "dynamic":
        unverified = (f"{ROOT}/SKILL.md: dynamic, so no file can be verified",)
        assert seen == Seen("2026-07-28", 1, 0, 0, 0, 0, unverified)
    else:
        assert seen == Seen("2026-07-28", 1, 3, 3, sum(len(data) for data in KIT.values()), 2)
