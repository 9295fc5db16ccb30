"""What the doctor finds in each real store."""

import pytest

from tests.doctor.seen import SKILL, found_in, levels
from tests.stores import S3Bucket

WELL = {
    "settings": "ok",
    "reachable": "ok",
    "clock": "ok",
    "credentials": "ok",
    "list": "ok",
    "versioning": "ok",
}
KEEPS = {"seaweedfs": True, "moto": True, "juicefs": False}
"""Whether a store keeps SHA-256 and honours conditions [measured]."""


async def fill(bucket: S3Bucket) -> None:
    await bucket.put("good/SKILL.md", SKILL, checksum=True)
    await bucket.put("good/a/x.md", b"x", checksum=True)
    await bucket.put("good/a-x.md", b"x", checksum=True)
    await bucket.put("other/SKILL.md", SKILL, checksum=True)


async def test_an_empty_bucket_is_well_and_empty(keyed: S3Bucket) -> None:
    """[ours] Nothing is an error: there may be skills tomorrow."""
    findings = await found_in(keyed)
    findings.pop("region", None)
    assert levels(findings) == WELL | {"writes": "ok", "empty": "warning"}
    assert findings["empty"].remedy


async def test_each_store_shows_what_it_can_do(keyed: S3Bucket) -> None:
    """[S3] Order, checksums and conditions differ; a refused skill is named by its code."""
    await fill(keyed)
    findings = await found_in(keyed, is_writing=True)
    findings.pop("region", None)
    able = "ok" if KEEPS.get(keyed.kind, True) else "warning"
    assert levels(findings) == WELL | {
        "order": "ok",
        "pages": "ok",
        "read": "ok",
        "write": "ok",
        "checksums": able,
        "new_checksums": able,
        "new_order": "ok",
        "conditions": able,
        "tree": "ok",
        "name_mismatch": "warning",
    } | ({"page_size": "ok"} if "page_size" in findings else {})
    assert ("not in byte order" in findings["new_order"].seen) == (keyed.kind == "seaweedfs")
    assert "1 refused: other: " in findings["name_mismatch"].seen
    assert "1 served" in findings["tree"].seen
    assert "credentials from env" in findings["credentials"].seen
    left = keyed.keys()
    assert not [key for key in left if "scratch" in key and not key.endswith("/")]


@pytest.mark.parametrize("s3_bucket", ["seaweedfs", "juicefs"], indirect=True)
async def test_a_wrong_secret_is_told_apart_from_a_missing_permission(
    keyed: S3Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[S3] SignatureDoesNotMatch and InvalidAccessKeyId; nothing more is asked."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-the-secret")
    findings = await found_in(keyed)
    assert levels(findings) == {
        "settings": "ok",
        "reachable": "ok",
        "clock": "ok",
        "credentials": "ok",
        "bad_credentials": "error",
    }
    assert "not-the-secret" not in str(findings)


async def test_a_missing_bucket_ends_the_questions(keyed: S3Bucket) -> None:
    """[ours] What cannot be asked is left out, not failed."""
    assert keyed.options is not None
    keyed.name += "-not"
    findings = await found_in(keyed, is_writing=True)
    assert [code for code, finding in findings.items() if finding.level == "error"] == ["bucket_missing"]
    assert "writes" not in findings
