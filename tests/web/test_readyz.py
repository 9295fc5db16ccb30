"""What is wrong with a store, as an operator reads it at `/readyz` and in the log, and a client does not."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from gateway.asgi import app_over
from gateway.local.process import free_ports
from gateway.s3 import S3Options, open_store
from gateway.settings import Settings
from tests.protocol.host import ERAS, Host, serving
from tests.s3.wire import answering, error, response
from tests.stores import S3Bucket

SETTINGS = Settings(bucket="skills", cursor_keys=("k" * 32,), freshness_s=0)  # type: ignore[arg-type]
STORAGE_DOWN = {"code": -32603, "message": "Storage is unavailable; try again later"}
SIGNING = pytest.mark.parametrize("s3_bucket", ["seaweedfs", "juicefs"], indirect=True)
"""The stores that check signatures; moto does not."""


def gateway_over(options: S3Options, **changes: Any) -> AbstractAsyncContextManager[Host]:
    options = replace(options, max_attempts=1, call_timeout_s=5.0, **changes)
    return serving(app_over(lambda: open_store(options), SETTINGS))


async def ready(host: Host) -> tuple[int, dict[str, str]]:
    answer = await host.client.get("/readyz")
    return answer.status_code, answer.json()


LISTS: list[tuple[str, dict[str, str]]] = [("skills/list", {}), ("resources/list", {})]
EVERYTHING = [
    *LISTS,
    ("skills/get", {"uri": "skill://a/SKILL.md"}),
    ("resources/read", {"uri": "skill://a/SKILL.md"}),
    ("resources/directory/read", {"uri": "skill://a"}),
]


async def assert_down(
    host: Host, caplog: pytest.LogCaptureFixture, reason: str, *said: str, methods: Any = EVERYTHING
) -> None:
    """Not ready, alive, and `-32603` in both eras for what needs the store; answer and log say why."""
    status, body = await ready(host)
    assert (status, body["status"], body["reason"]) == (503, "unavailable", reason)
    assert all(word in body["detail"] for word in said), body["detail"]
    assert (await host.client.get("/livez")).status_code == 200
    for era, (method, params) in product(ERAS, methods):
        reply = await host.call(era, method, params)
        assert (reply.status, reply.error) == (200, STORAGE_DOWN)
        assert caplog.messages[-1].startswith(f"{method}: {reason}: ")
        assert all(word in caplog.messages[-1] for word in said)


async def test_a_store_that_answers_is_ready(s3_bucket: S3Bucket) -> None:
    """[ours] An empty bucket is no fault."""
    async with serving(app_over(s3_bucket.open, SETTINGS)) as host:
        assert await ready(host) == (200, {"status": "ok"})


async def test_a_store_that_is_down(caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    down = S3Options("skills", url, "us-east-1", access_key="the-access-key", secret_key="the-secret-key")
    async with gateway_over(down) as host:
        await assert_down(host, caplog, "store_unavailable", url, "no connection")
    assert "the-secret-key" not in caplog.text


@SIGNING
async def test_a_secret_that_is_wrong(s3_bucket: S3Bucket, caplog: pytest.LogCaptureFixture) -> None:
    """[ours] The store's own refusal; the secret is nowhere."""
    assert s3_bucket.options
    async with gateway_over(s3_bucket.options, secret_key="wrong-secret") as host:
        await assert_down(host, caplog, "access_denied", "credentials")
        assert "wrong-secret" not in (await host.client.get("/readyz")).text + caplog.text


@SIGNING
async def test_an_access_key_nobody_knows(s3_bucket: S3Bucket, caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    assert s3_bucket.options
    async with gateway_over(s3_bucket.options, access_key="nobody") as host:
        await assert_down(host, caplog, "access_denied", "credentials")


async def test_a_bucket_that_is_missing(s3_bucket: S3Bucket, caplog: pytest.LogCaptureFixture) -> None:
    """[ours] Though a HEAD says 404 alone, for a missing key as for a missing bucket."""
    assert s3_bucket.options
    async with gateway_over(s3_bucket.options, bucket="nobody-made-this-bucket") as host:
        await assert_down(host, caplog, "bucket_missing", "nobody-made-this-bucket")


async def test_a_clock_that_is_wrong(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] It looks like access denied: say "clock"."""
    skewed = error("403 Forbidden", "RequestTimeTooSkewed", Date="Thu, 01 Jan 2026 00:00:00 GMT")
    async with answering(skewed) as store, gateway_over(store.options()) as host:
        await assert_down(host, caplog, "clock_skew", "clock", "2026", methods=LISTS)


async def test_a_clock_that_is_wrong_is_told_without_a_body_too(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] A HEAD has none; the date of the answer says enough."""
    skewed = response("403 Forbidden", Date="Thu, 01 Jan 2026 00:00:00 GMT")
    async with answering(skewed) as store, gateway_over(store.options()) as host:
        await assert_down(host, caplog, "clock_skew", "clock", "2026")


async def test_a_store_that_stays_silent(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] Every call has a deadline."""
    async with answering(b"", then_stall=True) as store:
        options = store.options(call_timeout_s=0.1, max_attempts=1)
        async with serving(app_over(lambda: open_store(options), SETTINGS)) as host:
            await assert_down(host, caplog, "store_unavailable")


async def test_probes_ask_the_store_once_in_a_while() -> None:
    """[ours] Not once a probe."""
    async with answering(error("503 Slow Down", "SlowDown")) as store, gateway_over(store.options()) as host:
        at_start = len(store.requests)
        answers = [await ready(host) for _ in range(5)]
        assert [(status, body["reason"]) for status, body in answers] == [(503, "store_throttled")] * 5
        assert len(store.requests) == at_start + 1


async def test_health_answers_for_any_host_and_get_alone() -> None:
    """[ours] A load balancer's probe sends the address of the machine as Host."""
    async with answering(error("503 Slow Down", "SlowDown")) as store, gateway_over(store.options()) as host:
        for path in ("/livez", "/readyz"):
            assert (await host.client.get(path, headers={"Host": "10.0.0.7:8000"})).status_code in (200, 503)
            assert (await host.client.post(path)).status_code == 405
