"""FastMCP's client as a host: it parses each frontmatter again, and reads every file against its manifest."""

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.skills import SkillsClientExtension

from tests.clients.tree import homes, tree


async def test_fastmcp_lists_gets_and_verifies_every_skill(url: str) -> None:
    """[ours] On 2026-07-28 alone; it speaks the extension on no older revision."""
    async with Client(StreamableHttpTransport(url), extensions=[SkillsClientExtension()]) as client:
        skills = await client.list_skills()
        assert {skill.uri.removesuffix("/SKILL.md") for skill in skills} == homes()
        read: dict[str, bytes] = {}
        for skill in skills:
            assert await client.get_skill(skill.uri, cache_mode="bypass") == skill
            home = skill.uri.removeprefix("skill://").removesuffix("SKILL.md")
            files = (await client.read_skill(skill.uri)).files
            read |= {home + path: data for path, data in files.items()}
    assert read == tree()


async def test_fastmcp_finds_the_skills_among_the_resources(url: str) -> None:
    """[ours] For hosts without the extension."""
    async with Client(StreamableHttpTransport(url)) as client:
        found = await client.list_skill_resources()
    assert {str(one.uri).removesuffix("/SKILL.md") for one in found} == homes()
