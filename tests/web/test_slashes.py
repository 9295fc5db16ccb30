"""A path with a slash too many: where it leads, and that it leads nowhere else."""

import pytest

from gateway.auth.apikeys import make_api_key
from tests.page.pages import browsing
from tests.tree.trees import skill_md

KEY, KEPT = make_api_key("ci", b"1" * 32)
BEARER = {"Authorization": f"Bearer {KEY}"}
TREE = {"kit/SKILL.md": skill_md("kit")}
PUBLIC = {"public_url": "https://skills.example.com", "auth": "bearer", "api_keys": (KEPT.line,)}


@pytest.mark.parametrize(
    ("asked", "location"),
    [
        ("/mcp/", "/mcp"),
        ("/problems//", "/problems"),
        ("/problems/?a=%2F%2fb&c", "/problems?a=%2F%2fb&c"),
        ("/login/?next=//evil.example", "/login?next=//evil.example"),
    ],
)
async def test_a_slash_at_the_end_leads_to_the_path_without_it(asked: str, location: str) -> None:
    """[RFC 9110 10.2.2] On the scheme that the client came by, or it would send its token without TLS."""
    async with browsing(TREE, **PUBLIC) as browser:
        headers = BEARER | {"Host": "skills.example.com"}
        answer = await browser.request("POST" if asked == "/mcp/" else "GET", asked, headers=headers)
        assert (answer.status_code, answer.headers["location"]) == (307, location)


@pytest.mark.parametrize(
    "asked", ["/none/", "//", "//evil.example/", "//problems/", "/.//problems/", "/skills", "/mcp/x/"]
)
async def test_a_path_that_is_none_without_its_slash_leads_nowhere(asked: str) -> None:
    """[ours] Two slashes at the beginning would be another host."""
    async with browsing(TREE, **PUBLIC) as browser:
        url = browser.base_url.copy_with(raw_path=asked.encode())
        answer = await browser.get(url, headers=BEARER | {"Host": "skills.example.com"})
        assert (answer.status_code, answer.headers.get("location")) == (404, None)
