"""What the doctor finds at an endpoint that is no store, or one with another clock."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from gateway.doctor.facts import EndpointSeen
from gateway.doctor.reach import judge_clock
from gateway.local.process import free_ports
from gateway.local.seaweedfs import LocalServer
from tests.doctor.seen import found, levels
from tests.s3.wire import answering, error, response

pytestmark = pytest.mark.usefixtures("some_keys")


async def errors_at(url: str) -> list[str]:
    findings = await found("skills", url, call_timeout_s=0.5)
    return [code for code, finding in findings.items() if finding.level == "error"]


async def test_a_refused_connection_is_an_error_by_itself() -> None:
    """[ours] Nothing that would fail for the same reason is told beside it."""
    (port,) = free_ports(1)
    findings = await found("skills", f"http://127.0.0.1:{port}")
    assert levels(findings) == {"settings": "ok", "tcp": "error"}
    assert str(port) in findings["tcp"].seen


async def test_a_name_without_an_address_is_told_as_that() -> None:
    """[ours] `.invalid` never resolves: RFC 6761."""
    assert await errors_at("http://store.invalid:9000") == ["dns"]


async def test_a_silent_port_is_told_as_that() -> None:
    """[ours]"""
    async with answering(b"", then_stall=True) as wire:
        assert await errors_at(wire.url) == ["no_answer"]


async def test_a_web_server_is_no_store() -> None:
    """[ours] The console of a store often has a port of its own."""
    async with answering(response("200 OK", b"<html>Console</html>", Server="nginx")) as wire:
        findings = await found("skills", wire.url)
    assert levels(findings) == {"settings": "ok", "not_s3": "error"}
    assert "nginx" in findings["not_s3"].seen


async def test_a_proxy_that_hides_the_root_of_a_store_is_no_fault() -> None:
    """[ours] The bucket decides, not what `GET /` gives."""
    empty = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
    async with answering(response("404 Not Found", b"<html>"), response("200 OK", empty)) as wire:
        findings = await found("skills", wire.url)
    assert (findings["reachable"].level, findings["list"].level) == ("ok", "ok")
    assert "not_s3" not in findings


async def test_what_speaks_no_http_is_told_as_that() -> None:
    """[ours] A wrong port: another protocol."""
    async with answering(b"SSH-2.0-OpenSSH_9.9\r\n") as wire:
        assert await errors_at(wire.url) == ["not_http"]


async def test_plain_http_to_a_tls_port_is_told_so() -> None:
    """[RFC 8446 section 6] The answer is a TLS alert."""
    async with answering(b"\x15\x03\x01\x00\x02\x02\x46") as wire:
        assert await errors_at(wire.url) == ["tls_wanted"]


async def test_tls_to_a_plain_port_is_told_so(seaweedfs_server: LocalServer) -> None:
    """[ours] The answer to a TLS greeting is HTTP; what never answers one is another fault."""
    assert await errors_at(seaweedfs_server.url.replace("http:", "https:")) == ["plain_wanted"]
    async with answering(b"", then_stall=True) as wire:
        assert await errors_at(wire.url.replace("http:", "https:")) == ["tls"]


async def test_a_clock_twenty_minutes_off_is_an_error_beside_what_the_store_refuses() -> None:
    """[S3 RequestTimeTooSkewed] Which way, and by how much."""
    theirs = format_datetime(datetime.now(UTC) - timedelta(minutes=20), usegmt=True)
    async with answering(error("403 Forbidden", "AccessDenied", Date=theirs)) as wire:
        findings = await found("skills", wire.url)
    wrong = {code: finding for code, finding in findings.items() if finding.level == "error"}
    assert list(wrong) == ["clock", "clock_skew"]
    assert "ahead of the store's" in wrong["clock"].seen
    assert "NTP" in wrong["clock"].remedy


@pytest.mark.parametrize(
    ("off_s", "level"), [(0, "ok"), (60, "ok"), (61, "warning"), (-300, "warning"), (-301, "error")]
)
def test_a_clock_is_judged_by_how_far_it_is_off(off_s: int, level: str) -> None:
    """[ours] S3 refuses from 15 minutes on, others sooner."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    seen = EndpointSeen("http://store", "answered", date=now, asked_at=now + timedelta(seconds=off_s))
    assert judge_clock(seen).level == level


async def test_a_wrong_region_names_the_right_one() -> None:
    """[S3 PermanentRedirect]"""
    redirect = error("301 Moved Permanently", "PermanentRedirect", x_amz_bucket_region="eu-west-1")
    async with answering(redirect) as wire:
        findings = await found("skills", wire.url)
    assert findings["wrong_region"].level == "error"
    assert "eu-west-1" in findings["wrong_region"].seen
    assert "GATEWAY_REGION" in findings["wrong_region"].remedy


async def test_no_credentials_are_told_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours]"""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    async with answering(error("403 Forbidden", "AccessDenied")) as wire:
        assert await errors_at(wire.url) == ["no_credentials"]
        assert len(wire.requests) == 1
