"""The doctor run on a bucket or an endpoint, and its findings by code."""

from collections.abc import Mapping
from typing import Any

from gateway.cli.doctor import examine
from gateway.doctor.finding import Finding
from gateway.settings import Settings
from tests.stores import S3Bucket

SKILL = b"---\nname: good\ndescription: Does good.\n---\nDo good.\n"
QUIET: Mapping[str, Any] = {
    "cursor_keys": ("k" * 32,),
    "call_timeout_s": 2,
    "connect_timeout_s": 1,
    "region": "us-east-1",
}


async def found(bucket: str, url: str, *, is_writing: bool = False, **changes: Any) -> dict[str, Finding]:
    """Findings by code; no code is told twice in what these tests look at."""
    settings = Settings(bucket=bucket, endpoint_url=url, **{**QUIET, **changes})
    findings = await examine(settings, is_writing=is_writing)
    by_code = {finding.code: finding for finding in findings}
    assert len(by_code) == len(findings), findings
    return by_code


async def found_in(bucket: S3Bucket, **changes: Any) -> dict[str, Finding]:
    assert bucket.options is not None
    assert bucket.options.endpoint_url is not None
    return await found(bucket.name, bucket.options.endpoint_url, **changes)


def levels(findings: Mapping[str, Finding]) -> dict[str, str]:
    return {code: finding.level for code, finding in findings.items()}
