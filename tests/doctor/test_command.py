"""`skills-gateway doctor`, its output and its exit codes; and releases as it sees them."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from gateway.cli.doctor import doctor
from gateway.cli.main import app as everything
from gateway.local.process import free_ports
from gateway.releases.signatures import new_signing_key
from tests.cli.publishing import write_skill
from tests.stores import S3Bucket

ON_MOTO = pytest.mark.parametrize("s3_bucket", ["moto"], indirect=True)


def run(*arguments: Any) -> Result:
    app = typer.Typer()
    app.command()(doctor)
    return CliRunner().invoke(app, [str(one) for one in arguments])


def at(bucket: S3Bucket) -> tuple[str, ...]:
    assert bucket.options is not None
    return f"s3://{bucket.name}/of us", "--endpoint-url", str(bucket.options.endpoint_url), "--region", "us-east-1"


def test_a_setting_that_cannot_be_is_the_only_finding_and_exit_code_2(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] Like every command: the name, the value seen, what is expected."""
    monkeypatch.setenv("GATEWAY_PAGE_SIZE", "0")
    result = run("s3://skills/", "--json")
    assert result.exit_code == 2
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding["code"], finding["level"]) == ("bad_setting", "error")
    assert "GATEWAY_PAGE_SIZE" in finding["seen"]


def test_people_read_a_line_for_each_finding_and_what_to_do() -> None:
    """[ours] Grouped; no colours in a pipe; exit code 1 when there is an error."""
    (port,) = free_ports(1)
    result = run("s3://skills/", "--endpoint-url", f"http://127.0.0.1:{port}", "--region", "us-east-1")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["settings", "endpoint"]
    assert lines[-2].startswith("  error   http://127.0.0.1:")
    assert lines[-2].endswith("[tcp]")
    assert lines[-1].startswith("          do: start the store")
    assert result.stderr == "0 ok, 1 warnings, 1 errors\n"


@ON_MOTO
def test_channels_are_told_with_release_age_and_what_verifies(
    keyed: S3Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours] A shard that is not what its digest says is an error of the channel that is served."""
    write_skill(tmp_path, "good")
    target = at(keyed)
    published = CliRunner().invoke(everything, ["publish", str(tmp_path), *target])
    assert published.exit_code == 0, published.stderr
    result = run(*target, "--json")
    assert result.exit_code == 0, result.stdout
    (channel,) = [found for found in json.loads(result.stdout)["findings"] if found["code"] == "channel"]
    release = published.stdout.strip()
    said = f"channel 'stable' is at release {release} for 0 minutes: 1 skills, index and 1 shards verify"
    assert channel["seen"] == said
    (shard,) = [key for key in keyed.keys() if "/shards/" in key]  # noqa: SIM118
    monkeypatch.setenv("GATEWAY_RELEASE", release)
    assert f'"release {release}: 1 skills, index and 1 shards verify"' in run(*target, "--json").stdout
    keyed.write(shard, b"{}")
    result = run(*target, "--json")
    assert result.exit_code == 1
    wrong = [found for found in json.loads(result.stdout)["findings"] if found["level"] == "error"]
    assert [found["code"] for found in wrong] == ["manifest_refused"]
    monkeypatch.delenv("GATEWAY_RELEASE")
    assert run(*target).exit_code == 1


@ON_MOTO
def test_a_release_without_a_trusted_signature_is_an_error(
    keyed: S3Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ours] As it is for the gateway with these settings."""
    write_skill(tmp_path, "good")
    assert CliRunner().invoke(everything, ["publish", str(tmp_path), *at(keyed)]).exit_code == 0
    monkeypatch.setenv("GATEWAY_TRUSTED_KEYS", new_signing_key()[1])
    result = run(*at(keyed), "--json")
    wrong = [found for found in json.loads(result.stdout)["findings"] if found["level"] == "error"]
    assert [found["code"] for found in wrong] == ["signature_refused"]
