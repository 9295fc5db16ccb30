"""Metrics of several workers: added up, whoever answered; nothing is left behind."""

import asyncio
import signal
import time
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families as families

from gateway.local.process import free_ports
from gateway.releases.repository import Repository
from tests.metrics.scrapes import rows_at
from tests.protocol.host import Host
from tests.releases.stored import many, publish
from tests.releases.test_workers import gateway
from tests.stores import S3Bucket

ASKED = 60
WITHIN_S = 20.0


async def scraped(http: httpx.AsyncClient, port: int) -> dict[str, float]:
    """Each sample by its name, summed over labels."""
    text = (await http.get(f"http://127.0.0.1:{port}/metrics")).text
    found: dict[str, float] = {}
    for sample in (sample for family in families(text) for sample in family.samples):
        found[sample.name] = found.get(sample.name, 0.0) + sample.value
    return found


async def test_two_workers_are_counted_as_one(
    moto_bucket: S3Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[prometheus_client, Multiprocess mode] Whoever answered; the files go with the process."""
    async with moto_bucket.open() as store:
        await publish(Repository(store, ""), many(3))
    temporary, (port,) = tmp_path / "tmp", free_ports(1)
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    settings = {"workers": "2", "metrics_port": str(port)}
    async with gateway(moto_bucket, tmp_path, **settings) as (url, process):
        async with httpx.AsyncClient() as http:
            for _ in range(ASKED):
                # A connection each, so that both workers get some.
                async with httpx.AsyncClient() as client:
                    await Host(client, endpoint=url).call("modern", "skills/list")
            until = time.monotonic() + WITHIN_S
            while (found := await scraped(http, port)).get("skills_gateway_requests_total", 0) < ASKED:
                assert time.monotonic() < until, found
                await asyncio.sleep(0.2)
            # Requests that the SDK answers are counted at once, lookups a little later.
            while sum((lookups := rows_at(port, "cache_lookups_total", kind="page")).values()) < ASKED:
                assert time.monotonic() < until, lookups
                await asyncio.sleep(0.2)
            assert sum(lookups.values()) == ASKED
        assert found["skills_gateway_requests_total"] == ASKED
        assert found["skills_gateway_skills"] == 3
        assert found["skills_gateway_s3_calls_total"] >= 4
        assert found["skills_gateway_s3_calls_most"] > 0
        assert list(temporary.glob("skills-gateway-metrics-*/*.db"))
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), WITHIN_S) == 0
    assert list(temporary.iterdir()) == []
