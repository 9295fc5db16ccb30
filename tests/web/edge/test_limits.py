"""How much is let in: rates by address and by principal, and what goes on at once."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import aiohttp
import httpx
import pytest
from starlette.types import Receive, Scope, Send

from gateway.asgi import app_over
from gateway.auth.apikeys import make_api_key
from gateway.settings import Settings
from gateway.web.buckets import Buckets
from gateway.web.capacity import Capacity
from gateway.web.denials import Denials
from gateway.web.rates import network_of
from tests.protocol.host import headers_of, serving, with_meta
from tests.serving import serving as served
from tests.stores import MemoryBucket
from tests.tree.trees import skill_md

CI, CI_KEPT = make_api_key("ci", b"1" * 32)
DEV, DEV_KEPT = make_api_key("dev", b"2" * 32)
WITHIN_S = 10.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_holds_a_burst_and_fills_by_the_minute() -> None:
    """[ours] 600 a minute: 60 at once, then 10 a second."""
    clock = Clock()
    buckets = Buckets(600, clock)
    assert [buckets.take("a") for _ in range(60)] == [0.0] * 60
    assert buckets.take("a") == pytest.approx(0.1)
    assert buckets.take("b") == 0.0
    clock.now = 0.1
    assert (buckets.take("a"), buckets.take("a")) == (0.0, pytest.approx(0.1))
    clock.now = 1000
    assert [buckets.take("a") for _ in range(61)].count(0.0) == 60


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9%eth0", "2001:db8:1:2::/64"),
        ("unknown", "an odd address"),
    ],
)
def test_what_is_counted_together(address: str, network: str) -> None:
    """[ours]"""
    assert network_of(address) == network


async def gateway_of(**changes: Any) -> Any:
    bucket = MemoryBucket()
    await bucket.put("a/SKILL.md", skill_md("a"))
    settings = Settings(bucket="skills", cursor_keys=("k" * 32,), **changes)
    return app_over(lambda: nullcontext(bucket.store), settings)


async def test_an_address_that_asks_too_often_is_told_when_to_come_back() -> None:
    """[RFC 6585 section 4] Before its token is looked at; probes are free."""
    app = await gateway_of(rate_per_address=60, auth="bearer", api_keys=(CI_KEPT.line,))
    async with serving(app) as host:
        replies = [await host.call("modern", "skills/list", Authorization="Bearer wrong") for _ in range(11)]
        assert [reply.status for reply in replies] == [401] * 10 + [429]
        assert replies[-1].headers["retry-after"] == "1"
        assert [(await host.client.get("/livez")).status_code for _ in range(20)] == [200] * 20
        assert (await host.call("modern", "skills/list", Authorization=f"Bearer {CI}")).status == 429


async def test_one_principal_takes_nothing_from_another() -> None:
    """[ours] Also when its answers come from memory."""
    app = await gateway_of(rate_per_principal=60, auth="bearer", api_keys=(CI_KEPT.line, DEV_KEPT.line))
    async with serving(app) as host:
        ci = [(await host.call("modern", "skills/list", Authorization=f"Bearer {CI}")).status for _ in range(11)]
        assert ci == [200] * 10 + [429]
        assert (await host.call("modern", "skills/list", Authorization=f"Bearer {DEV}")).status == 200


async def test_what_is_more_than_can_be_served_at_once_is_told_so_at_once() -> None:
    """[ours] Streams apart from requests, and each place is free again afterwards."""
    release, inside = asyncio.Event(), asyncio.Queue[str]()

    async def holding(scope: Scope, receive: Receive, send: Send) -> None:
        await inside.put(scope["path"])
        await release.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    denials = Denials()
    transport = httpx.ASGITransport(Capacity(holding, 1, 1, denials, ("/livez",)))
    async with httpx.AsyncClient(transport=transport, base_url="http://a") as client:
        stream = {"Mcp-Method": "subscriptions/listen \t"}  # blanks do not count
        held = [asyncio.create_task(client.post("/mcp", headers=headers)) for headers in ({}, stream)]
        for _ in held:
            await inside.get()
        for headers in ({}, stream):
            refused = await client.post("/mcp", headers=headers)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        held.append(asyncio.create_task(client.get("/livez")))
        assert await inside.get() == "/livez"
        release.set()
        assert [answer.status_code for answer in await asyncio.gather(*held)] == [200] * 3
        assert (await client.post("/mcp")).status_code == 200
    assert denials.counts == {"capacity_requests": 1, "capacity_streams": 1}


def test_a_flood_is_no_flood_of_log_lines(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] One line when it begins, one a minute later with how many there were."""
    clock = Clock()
    denials = Denials(clock)
    for _ in range(100):
        denials.count("rate_address", " from 192.0.2.7")
    clock.now = 60
    denials.count("rate_address")
    assert [record.getMessage() for record in caplog.records] == [
        "turned away: rate_address from 192.0.2.7 (1 more, 1 in all)",
        "turned away: rate_address (100 more, 101 in all)",
    ]


async def statuses(url: str, forwarded: Callable[[int], dict[str, str]], count: int) -> list[int]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": with_meta("modern", {})}
    found: list[int] = []
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(WITHIN_S)) as session:
        for number in range(count):
            headers = headers_of("modern", "skills/list") | forwarded(number)
            async with session.post(url, json=body, headers=headers) as answer:
                found.append(answer.status)
    return found


async def test_only_a_trusted_proxy_says_who_calls() -> None:
    """[ours] The last address that no trusted proxy has; what stands before it the caller may have made up."""
    bucket = MemoryBucket()
    await bucket.put("a/SKILL.md", skill_md("a"))

    def another(number: int) -> dict[str, str]:
        return {"X-Forwarded-For": f"192.0.2.{number}", "X-Forwarded-Host": "evil.example", "Forwarded": "for=1.1.1.1"}

    def made_up(number: int) -> dict[str, str]:
        return {"X-Forwarded-For": f"192.0.2.{number}, 203.0.113.9, 10.1.1.1"}

    with served(bucket, rate_per_address=60) as url:
        assert await statuses(url, another, 11) == [200] * 10 + [429]
    with served(bucket, rate_per_address=60, trusted_proxies=("127.0.0.1", "10.0.0.0/8")) as url:
        assert await statuses(url, another, 11) == [200] * 11
        assert await statuses(url, made_up, 11) == [200] * 10 + [429]


async def test_who_is_turned_away_is_counted_by_reason(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] What metrics are made of; nothing of a token is in the log."""
    bucket, denials = MemoryBucket(), Denials()
    settings = Settings(bucket="skills", cursor_keys=("k" * 32,), auth="bearer", api_keys=(CI_KEPT.line,))
    async with serving(app_over(bucket.open, settings, denials)) as host:
        for headers in (
            {},
            {"Authorization": "Bearer hunter2"},
            {"Host": "evil.example"},
            {"Origin": "https://evil.example"},
            {"Content-Length": "1000000"},
        ):
            await host.call("modern", "skills/list", **headers)
    assert denials.counts == {"no_token": 1, "token_malformed": 1, "host": 1, "origin": 1, "too_large": 1}
    assert "hunter2" not in caplog.text
