"""`/statusz`: the document, and who may read it."""

import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.auth.apikeys import make_api_key
from gateway.doctor.facts import Failure
from gateway.memory.shelves import Fill
from gateway.objects import Pace
from gateway.releases.repository import Repository
from gateway.skill.model import Problem
from gateway.web.recent import KEPT, RecentErrors
from gateway.web.status import ErrorSeen, SourceStatus, status_document
from tests.page.pages import browsing
from tests.releases.plans import AT
from tests.releases.stored import Skill, publish
from tests.stores import MemoryBucket, S3Bucket
from tests.tree.trees import skill_md

NOW = datetime(2026, 1, 2, tzinfo=UTC)


READY = {"status": "ok"}


def document(sources: dict[str, SourceStatus], pace: Pace | None = None, **more: Any) -> dict[str, Any]:
    more = {"ready": READY} | more
    made = status_document(
        version="1", started_at=NOW - timedelta(hours=1), now=NOW, sources=sources, pace=pace, **more
    )
    return json.loads(json.dumps(made))


def test_all_that_a_gateway_knows_of_itself_is_one_document() -> None:
    """[ours] Ages in seconds, refused skills by code, the newest error first."""
    problems = [Problem(f"s{number}", "bad_name", "no name") for number in range(7)]
    source = SourceStatus(
        "releases", "ab", NOW - timedelta(minutes=2), 3, problems, fills=(Fill("entries", 1, 4), Fill("contents", 0, 0))
    )
    errors = [
        ErrorSeen(NOW - timedelta(seconds=9), "a", "older"),
        ErrorSeen(NOW - timedelta(seconds=1), "b", "newer\n"),
    ]
    first = [f"s{number}: no name [bad_name]" for number in range(5)]
    assert document({"": source}, Pace(1, 0, 32, 32), denials={"host": 2}, errors=errors) == {
        "status": "ok",
        "version": "1",
        "started_at": "2026-01-01T23:00:00Z",
        "uptime_s": 3600,
        "sources": {
            "": {
                "kind": "releases",
                "skills": 3,
                "failure": None,
                "release": "ab",
                "release_age_s": 120,
                "refused": {"bad_name": {"count": 7, "first": first}},
                "caches": {
                    "entries": {"used_bytes": 1, "limit_bytes": 4, "fill": 0.25},
                    "contents": {"used_bytes": 0, "limit_bytes": 0, "fill": 0.0},
                },
            }
        },
        "ready": READY,
        "store": {"taken": 1, "waiting": 0, "allowed": 32, "most": 32, "is_slowed": False},
        "denials": {"host": 2},
        "last_errors": [
            {"at": "2026-01-01T23:59:59Z", "age_s": 1, "reason": "b", "detail": "newer\\n"},
            {"at": "2026-01-01T23:59:51Z", "age_s": 9, "reason": "a", "detail": "older"},
        ],
    }


def test_a_source_that_fails_or_a_store_that_is_slow_is_degraded() -> None:
    """[ours] Served on from memory, and yet somebody should look."""
    failing = SourceStatus("releases", failure=Failure("store_unavailable", "down"))
    fine = SourceStatus("tree")
    assert document({"": fine})["status"] == "ok"
    assert document({"": fine, "beta": failing})["status"] == "degraded"
    assert document({"": fine}, Pace(0, 0, 16, 32))["status"] == "degraded"
    assert document({"": fine}, ready={"status": "unavailable"})["status"] == "degraded"


def test_the_last_warnings_are_kept_and_no_more() -> None:
    """[ours] Of the gateway's own loggers alone."""
    recent, logger = RecentErrors(), logging.getLogger("gateway.here")
    with recent.listening():
        for number in range(KEPT + 5):
            logger.warning("line %d", number)
        logging.getLogger("elsewhere").error("not ours")
    logger.warning("after")
    assert [seen.detail for seen in recent.seen] == [f"line {number}" for number in range(5, KEPT + 5)]


async def test_the_status_of_a_running_gateway_names_release_problems_and_pace(s3_bucket: S3Bucket) -> None:
    """[ours] Of every variant, on every store."""
    await s3_bucket.put("live/bad/SKILL.md", b"x")
    await s3_bucket.put("live/kit/SKILL.md", skill_md("kit"))
    async with s3_bucket.open() as store:
        published = await publish(Repository(store, "of/"), [Skill("kit")])
    variants = {"live": {"prefix": "live/", "source": "tree"}}
    async with browsing(s3_bucket, prefix="of/", variants=variants) as client:
        await client.get("/")
        told = (await client.get("/statusz")).json()
        assert told["status"] == "ok"
        assert told["store"]["allowed"] == told["store"]["most"] > 0
        own = told["sources"][""]
        assert (own["kind"], own["release"], own["skills"]) == ("releases", published.id, 1)
        assert own["caches"]["entries"]["used_bytes"] > 0
        assert told["sources"]["live"]["kind"] == "tree"


async def test_a_refused_skill_and_the_line_of_the_log_are_in_the_status() -> None:
    """[ours]"""
    async with browsing({"bad/SKILL.md": b"x"}) as client:
        await client.get("/")
        told = (await client.get("/statusz")).json()
        assert told["sources"][""]["refused"]["no_frontmatter"]["count"] == 1
        assert "no_frontmatter" in told["last_errors"][0]["detail"]


async def test_only_who_has_the_scope_reads_the_status() -> None:
    """[ours] Without auth only who is on the same machine."""
    reader, kept_reader = make_api_key("reader", b"1" * 32)
    admin, kept_admin = make_api_key("admin", b"2" * 32, ("skills:read", "skills:admin"))
    keys = (kept_reader.line, kept_admin.line)
    async with browsing(MemoryBucket(), auth="bearer", api_keys=keys) as client:
        assert (await client.get("/statusz")).status_code == 401
        refused = await client.get("/statusz", headers={"Authorization": f"Bearer {reader}"})
        assert refused.status_code == 403
        assert "skills:admin" in refused.text
        allowed = await client.get("/statusz", headers={"Authorization": f"Bearer {admin}"})
        assert allowed.json()["status"] == "ok"
    for public in (
        {"host": "0.0.0.0", "auth": "none", "allowed_hosts": ("127.0.0.1:*",)},
        {"public_url": "http://127.0.0.1:8000"},
        {"allowed_hosts": ("127.0.0.1:*", "skills.example.com")},
    ):
        async with browsing(MemoryBucket(), **public) as client:
            assert (await client.get("/statusz")).status_code == 404


@pytest.mark.parametrize("at", ["2026-01-01T00:00:00Z", "nonsense", "2026-01-01"])
async def test_a_release_has_an_age_where_its_time_was_written_well(at: str) -> None:
    """[ours] Somebody else may have written the channel."""
    bucket = MemoryBucket()
    repository = Repository(bucket.store, "")
    await publish(repository, [Skill("kit")])
    channel = repository.layout.channel("stable")
    pointer = await bucket.store.get(channel, max_bytes=10_000)
    bucket.store.store(channel, pointer.data.replace(AT.encode(), at.encode()))
    async with browsing(bucket) as client:
        age = (await client.get("/statusz")).json()["sources"][""]["release_age_s"]
        assert (age is not None) == at.endswith("Z")
