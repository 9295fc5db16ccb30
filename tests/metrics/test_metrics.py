"""Metrics: what they count is what was done, and no label is a caller's."""

import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families as families

from gateway.asgi import app_over
from gateway.errors import ObjectMissing
from gateway.metrics.exposition import exposed
from gateway.metrics.instruments import REGISTRY
from gateway.metrics.meters import METHODS, StoreMeter
from gateway.objects import ObjectKey
from gateway.releases.repository import Repository
from gateway.s3.client import open_store
from gateway.settings import Settings
from tests.metrics.scrapes import growth, rows_at
from tests.protocol.host import ERAS, Host, serving
from tests.releases.stored import Skill, publish
from tests.stores import MemoryBucket, S3Bucket
from tests.tree.trees import skill_md


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"skills_gateway_{name}", labels) or 0.0


def scraped(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        return answer.read().decode()


@asynccontextmanager
async def gateway(bucket: Any, **changes: Any) -> AsyncIterator[Host]:
    settings = Settings(bucket=bucket.name, cursor_keys=("k" * 32,), metrics_port=1, **changes)
    async with serving(app_over(bucket.open, settings)) as host:
        yield host


async def test_requests_are_counted_by_method_era_code_and_way() -> None:
    """[ours] The first one by the SDK, those after it from memory."""
    bucket = MemoryBucket()
    await bucket.put("kit/SKILL.md", skill_md("kit"))
    for era in ERAS:
        by_sdk = {"variant": "default", "method": "skills/list", "era": era, "code": "ok", "way": "sdk"}
        refused = {"variant": "default", "method": "skills/get", "era": era, "code": "-32602", "way": "sdk"}
        odd = {"variant": "default", "method": "other", "era": era, "code": "-32601", "way": "sdk"}
        before = value("requests_total", **by_sdk), value("requests_total", **(by_sdk | {"way": "memory"}))
        before_refused, before_odd = value("requests_total", **refused), value("requests_total", **odd)
        timed = value("request_seconds_count", method="skills/list")
        async with gateway(bucket) as host:
            for _ in range(5):
                await host.call(era, "skills/list")
            await host.call(era, "skills/get", {"uri": "skill://none/SKILL.md"})
            for method in ("x\ny", "tools/" + "z" * 1000):
                await host.call(era, method)
        after = value("requests_total", **by_sdk), value("requests_total", **(by_sdk | {"way": "memory"}))
        assert (after[0] - before[0], after[1] - before[1]) == (1, 4)
        assert value("request_seconds_count", method="skills/list") - timed == 1
        assert value("requests_total", **refused) - before_refused == 1
        assert value("requests_total", **odd) - before_odd == 2
    methods = {
        sample.labels["method"] for family in REGISTRY.collect() for sample in family.samples if "era" in sample.labels
    }
    assert methods <= METHODS | {"other"}


async def test_requests_are_counted_for_the_variant_that_was_asked(s3_bucket: S3Bucket, free_port: int) -> None:
    """[ours] On every store; one that is not there has no row."""
    await s3_bucket.put("of/kit/SKILL.md", skill_md("kit"))
    await s3_bucket.put("live/kit/SKILL.md", skill_md("kit"))
    variants = {"live": {"prefix": "live/"}}
    asked = {"method": "skills/list", "code": "ok", "era": "modern"}
    with exposed("127.0.0.1", free_port, workers=1):
        before = rows_at(free_port, "requests_total", **asked)
        async with gateway(s3_bucket, prefix="of/", variants=variants) as host:
            await host.call("modern", "skills/list")
            for _ in range(3):
                await Host(host.client, endpoint="/mcp/live").call("modern", "skills/list")
            await Host(host.client, endpoint="/mcp/none").call("modern", "skills/list")
        grown = growth(before, rows_at(free_port, "requests_total", **asked))
    assert grown == {("default", "sdk"): 1, ("live", "sdk"): 1, ("live", "memory"): 2}


async def test_a_release_what_is_refused_and_who_is_turned_away_are_told() -> None:
    """[ours] What was mended is 0."""
    bucket = MemoryBucket()
    await publish(Repository(bucket.store, "of/"), [Skill("kit"), Skill("more")])
    await bucket.put("live/bad/SKILL.md", b"x")
    variants = {"live": {"prefix": "live/", "source": "tree"}}
    denied = value("denials_total", reason="host")
    async with gateway(bucket, prefix="of/", variants=variants, freshness_s=0) as host:
        await Host(host.client, endpoint="/mcp/live").call("modern", "skills/list")
        await host.client.post("/mcp", headers={"Host": "evil.example"})
    assert value("skills", variant="default") == 2
    assert value("source_failing", variant="default") == 0
    assert value("release_timestamp_seconds", variant="default") > 1.7e9
    assert value("refused", variant="live", code="no_frontmatter") == 1
    assert value("denials_total", reason="host") - denied == 1
    assert value("cache_limit_bytes", variant="default", cache="entries") > 0


async def test_calls_to_the_store_are_counted_with_their_bytes(s3_bucket: S3Bucket) -> None:
    """[ours] On every store; what is absent is an outcome of its own."""
    assert s3_bucket.options
    data = b"x" * 100_000
    names = ("s3_calls_total", "s3_received_bytes_total", "s3_sent_bytes_total")
    ok, absent = {"operation": "GetObject", "outcome": "ok"}, {"operation": "GetObject", "outcome": "object_missing"}
    put = {"operation": "PutObject"}
    before = (
        value(names[0], **ok),
        value(names[0], **absent),
        value(names[1], operation="GetObject"),
        value(names[2], **put),
    )
    answers = value("s3_responses_total", operation="GetObject", status="404")
    async with open_store(s3_bucket.options, StoreMeter()) as store:
        await store.put(ObjectKey("a"), data, media_type="text/plain")
        await store.get(ObjectKey("a"), max_bytes=len(data))
        with pytest.raises(ObjectMissing):
            await store.get(ObjectKey("none"), max_bytes=1)
    after = (
        value(names[0], **ok),
        value(names[0], **absent),
        value(names[1], operation="GetObject"),
        value(names[2], **put),
    )
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, len(data), len(data)]
    assert value("s3_responses_total", operation="GetObject", status="404") - answers == 1
    assert value("s3_call_seconds_count", operation="GetObject") >= 2


def test_metrics_are_answered_on_a_port_of_their_own(free_port: int) -> None:
    """[Prometheus text format] Also of the process; the port is free again afterwards."""
    for _ in range(2):
        with exposed("127.0.0.1", free_port, workers=1):
            names = {family.name for family in families(scraped(free_port))}
        assert {"skills_gateway_requests", "process_resident_memory_bytes"} <= names
