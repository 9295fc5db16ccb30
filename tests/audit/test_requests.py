"""One line for each answer, the same one whichever way it was answered."""

import time
from typing import Any

import pytest

from gateway.errors import ManifestRefused, StoreThrottled
from gateway.local.memory import MemoryStore
from gateway.provider import Caller
from gateway.releases.repository import Repository
from gateway.skill.model import digest_of
from tests.audit.apps import host_over
from tests.audit.kept import kept
from tests.lane.providers import WarmShelf, shelf
from tests.protocol.host import ERAS, Era
from tests.protocol.providers import Answering, Silent, dynamic_entry, skill_md, static_entry
from tests.releases.stored import Skill, follower_of, provider_over, publish

URI = "skill://team/a/SKILL.md"


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


@pytest.fixture(params=[True, False], ids=["lane", "sdk"])
def has_lane(request: pytest.FixtureRequest) -> bool:
    return request.param


def common(era: Era) -> dict[str, Any]:
    """What every line of the host's requests says."""
    client = {"client": {"name": "t", "version": "1"}} if era == "modern" else {}
    return {"variant": "", "request_id": 1, "result": "ok"} | client


async def test_every_answer_is_a_line_and_each_way_the_same(era: Era, has_lane: bool) -> None:
    """[ours] The second time from memory, where there is a lane."""
    data = skill_md("a")
    with kept() as audit:
        async with host_over(shelf("team/a", files={"d/x.md": b"x"}), audit.journal, has_lane=has_lane) as host:
            began = time.time()
            for _ in range(2):
                await host.call(era, "skills/list")
                await host.call(era, "skills/get", {"uri": URI})
                await host.call(era, "resources/read", {"uri": URI})
                await host.call(era, "resources/list")
                await host.call(era, "resources/directory/read", {"uri": "skill://team/a"})
                await host.call(era, "resources/templates/list")
            took_s = time.time() - began
    assert (
        audit.told
        == [
            line | common(era)
            for line in (
                {"method": "skills/list", "items": 1},
                {"method": "skills/get", "uri": URI},
                {"method": "resources/read", "uri": URI, "digest": digest_of(data), "bytes": len(data)},
                {"method": "resources/list", "items": 1},
                {"method": "resources/directory/read", "uri": "skill://team/a", "items": 2},
            )
        ]
        * 2
    )
    assert all(0 < line["latency_ms"] < took_s * 1000 for line in audit.lines)


async def test_a_line_says_who_asked_and_through_which_variant(era: Era, has_lane: bool) -> None:
    """[ours] Of an answer and of an error."""
    caller = Caller("https://issuer.example", "host", "ada", "canary")
    with kept() as audit:
        async with host_over(shelf("team/a"), audit.journal, has_lane=has_lane, caller=caller) as host:
            for uri in (URI, URI, "skill://team/b/SKILL.md"):
                await host.call(era, "skills/get", {"uri": uri})
    assert [(line["principal"], line["variant"], line["result"]) for line in audit.lines] == [
        ({"issuer": "https://issuer.example", "client": "host", "subject": "ada"}, "canary", result)
        for result in ("ok", "ok", "not_served")
    ]


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("skills/list", {"cursor": "forged"}, "cursor_refused"),
    ("resources/list", {"cursor": "forged"}, "cursor_refused"),
    ("skills/get", {"uri": "skill://team/b/SKILL.md"}, "not_served"),
    ("resources/read", {"uri": "skill://team/a/none"}, "not_served"),
    ("resources/read", {"uri": "skill://../a\n"}, "invalid_uri"),
    ("resources/directory/read", {"uri": URI}, "not_a_directory"),
]


@pytest.mark.parametrize(("method", "params", "reason"), REFUSED)
async def test_an_error_is_a_line_with_its_reason(
    method: str, params: dict[str, Any], reason: str, era: Era, has_lane: bool
) -> None:
    """[ours] Never with a cursor in it."""
    with kept() as audit:
        async with host_over(shelf("team/a"), audit.journal, has_lane=has_lane) as host:
            await host.call(era, method, params)
    uri = {"uri": params["uri"]} if "uri" in params else {}
    assert audit.told == [{"method": method} | common(era) | {"result": reason} | uri]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (StoreThrottled("slow down"), "store_throttled"),
        (ManifestRefused("no"), "manifest_refused"),
        (TimeoutError(), "timeout"),
        (RuntimeError("secret"), "internal"),
    ],
)
async def test_a_fault_of_ours_is_a_line_with_its_reason(failure: Exception, reason: str, era: Era) -> None:
    """[ours] And not its text."""
    with kept() as audit:
        async with host_over(Answering(listed=failure), audit.journal, has_lane=False) as host:
            await host.call(era, "skills/list")
    assert audit.told == [{"method": "skills/list"} | common(era) | {"result": reason}]


async def test_a_request_that_takes_too_long_is_a_line(era: Era) -> None:
    """[ours]"""
    with kept() as audit:
        async with host_over(Silent(), audit.journal, has_lane=False, request_timeout_s=0.05) as host:
            await host.call(era, "skills/list")
    assert [line["result"] for line in audit.lines] == ["timeout"]
    assert audit.lines[0]["latency_ms"] >= 50


async def test_the_file_of_a_dynamic_skill_has_the_digest_of_what_was_sent(era: Era, has_lane: bool) -> None:
    """[ours] Nobody published one."""
    provider = shelf("team/a")
    provider.serves_dynamic = True
    provider.entries["team/a"] = dynamic_entry("team/a")
    with kept() as audit:
        async with host_over(provider, audit.journal, has_lane=has_lane, directory_read=False) as host:
            for _ in range(2):
                await host.call(era, "resources/read", {"uri": URI})
    data = skill_md("a")
    assert [(line["digest"], line["bytes"]) for line in audit.lines] == [(digest_of(data), len(data))] * 2


async def test_bytes_that_are_not_as_published_are_not_said_to_be_sent(era: Era, has_lane: bool) -> None:
    """[ours]"""
    provider: WarmShelf = shelf("team/a")
    provider.entries["team/a"] = static_entry("team/a", version="2")
    provider.contents["team/a", "SKILL.md"] = shelf("team/b").contents["team/b", "SKILL.md"]
    with kept() as audit:
        async with host_over(provider, audit.journal, has_lane=has_lane) as host:
            await host.call(era, "resources/read", {"uri": URI})
    assert audit.told == [{"method": "resources/read", "uri": URI} | common(era) | {"result": "content_changed"}]


async def test_an_answer_from_a_release_names_it(era: Era, has_lane: bool) -> None:
    """[ours] Of a page, of a skill, of a file; and of what the release does not have."""
    store = MemoryStore()
    release = await publish(Repository(store, ""), [Skill("team/a")])
    follower = follower_of(store)
    await follower.look()
    calls = [
        ("skills/list", {}),
        ("skills/get", {"uri": URI}),
        ("resources/read", {"uri": URI}),
        ("resources/list", {}),
    ]
    with kept() as audit:
        async with host_over(provider_over(store, follower), audit.journal, has_lane=has_lane) as host:
            for method, params in [*calls, *calls, ("skills/get", {"uri": "skill://team/b/SKILL.md"})]:
                await host.call(era, method, params)
    assert [line["release"] for line in audit.lines] == [release.id] * 9
