"""The audit of a whole gateway, as its settings have it."""

import json
from pathlib import Path

import pytest

from gateway.asgi import app_over
from gateway.errors import SettingsError
from gateway.settings import Settings
from tests.protocol.host import ERAS, serving
from tests.protocol.providers import skill_md
from tests.stores import MemoryBucket


async def test_a_gateway_writes_its_answers_to_the_file_it_is_told(tmp_path: Path) -> None:
    """[ours] All of them are there when it has stopped, and nothing of what was read."""
    bucket, audit = MemoryBucket(), tmp_path / "audit.jsonl"
    await bucket.put("a/SKILL.md", skill_md("a"))
    async with serving(app_over(bucket.open, Settings(bucket=bucket.name, audit=str(audit)))) as host:
        for era in ERAS:
            for _ in range(2):
                assert (await host.call(era, "resources/read", {"uri": "skill://a/SKILL.md"})).status == 200
    lines = [json.loads(line) for line in audit.read_bytes().splitlines()]
    assert [(line["method"], line["uri"], line["result"]) for line in lines] == [
        ("resources/read", "skill://a/SKILL.md", "ok")
    ] * 4
    assert len({line["digest"] for line in lines}) == 1
    assert "Does a." not in audit.read_text()


async def test_a_gateway_does_not_start_without_the_audit_it_is_told_to_write(tmp_path: Path) -> None:
    """[ours]"""
    bucket = MemoryBucket()
    app = app_over(bucket.open, Settings(bucket=bucket.name, audit=str(tmp_path)))
    with pytest.raises(SettingsError, match="GATEWAY_AUDIT"):
        async with serving(app):
            pass
