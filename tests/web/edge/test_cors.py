"""Scripts in browsers: which origins may ask, and what they may read."""

from typing import Any

import pytest

from gateway.asgi import app_over
from gateway.auth.apikeys import make_api_key
from gateway.settings import Settings
from tests.protocol.host import serving
from tests.stores import MemoryBucket
from tests.tree.trees import skill_md

CI, CI_KEPT = make_api_key("ci", b"1" * 32)
ORIGIN = "https://app.example.com"
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version",
}


async def app_of(**changes: Any) -> Any:
    bucket = MemoryBucket()
    await bucket.put("a/SKILL.md", skill_md("a"))
    settings = Settings(
        bucket="skills",
        cursor_keys=("k" * 32,),
        auth="bearer",
        api_keys=(CI_KEPT.line,),
        allowed_origins=ORIGIN,
        **changes,
    )
    return app_over(bucket.open, settings)


async def test_a_script_of_an_allowed_origin_may_ask_and_read() -> None:
    """[Fetch] A preflight has no token; what turns the script away can be read too."""
    async with serving(await app_of(rate_per_principal=60)) as host:
        preflight = await host.client.options("/mcp", headers={"Origin": ORIGIN} | PREFLIGHT)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == ORIGIN
        assert preflight.headers["access-control-allow-methods"] == "GET, HEAD, POST"
        replies = [
            await host.call("modern", "skills/list", Origin=ORIGIN, Authorization=f"Bearer {token}")
            for token in (CI, CI, "wrong", *[CI] * 9)
        ]
        assert {reply.status for reply in replies} == {200, 401, 429}
        for reply in replies:
            assert reply.headers["access-control-allow-origin"] == ORIGIN
            assert "www-authenticate" in reply.headers["access-control-expose-headers"]
            assert reply.headers["vary"] == "Origin"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "https://app.example.com.evil.example", f"{ORIGIN}:8443"]
)
async def test_a_script_of_another_origin_may_not(origin: str) -> None:
    """[Fetch]"""
    async with serving(await app_of()) as host:
        preflight = await host.client.options("/mcp", headers={"Origin": origin} | PREFLIGHT)
        asked = await host.call("modern", "skills/list", Origin=origin, Authorization=f"Bearer {CI}")
        assert (preflight.status_code, asked.status) == (400, 403)
        for headers in (preflight.headers, asked.headers):
            assert "access-control-allow-origin" not in headers


async def test_who_is_no_browser_hears_nothing_of_it() -> None:
    """[ours]"""
    async with serving(await app_of()) as host:
        reply = await host.call("modern", "skills/list", Authorization=f"Bearer {CI}")
        assert reply.status == 200
        assert not [name for name in reply.headers if name.startswith("access-control-") or name == "vary"]
