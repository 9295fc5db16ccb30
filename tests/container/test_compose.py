"""The compose files, parsed. No engine runs them here."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gateway.settings import load_settings

ROOT = Path(__file__).parents[2]
FILES = ["compose.yaml", "examples/compose/seaweedfs.yaml"]
OURS = ["gateway", "publish"]


def services(name: str) -> dict[str, dict[str, Any]]:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))["services"]


@pytest.mark.parametrize("name", FILES)
def test_ports_are_open_on_this_machine_only(name: str) -> None:
    """[ours] Docker would open them on every address, past the firewall."""
    ports = [port for service in services(name).values() for port in service.get("ports", [])]
    assert "127.0.0.1:8000:8000" in ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("name", FILES)
def test_images_of_others_are_pinned_to_a_release(name: str) -> None:
    """[ours]"""
    images = {service["image"] for service in services(name).values() if "build" not in service}
    assert len(images) == 1
    assert re.fullmatch(r"\S+:(RELEASE\.)?\d[\w.-]*", images.pop())


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("service", OURS)
def test_the_image_runs_confined(name: str, service: str) -> None:
    """[ours]"""
    found = services(name)[service]
    assert (found["read_only"], found["tmpfs"], found["cap_drop"], found["security_opt"]) == (
        True,
        ["/tmp"],
        ["ALL"],
        ["no-new-privileges:true"],
    )
    assert "user" not in found


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("service", OURS)
def test_the_settings_are_accepted(name: str, service: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """[ours] As serve and publish read them."""
    monkeypatch.chdir(tmp_path)
    for variable, value in services(name)[service]["environment"].items():
        monkeypatch.setenv(variable, value)
    host = {"host": "0.0.0.0"} if service == "gateway" else {"bucket": "skills", "prefix": "team/"}
    settings = load_settings(**host)
    assert (settings.bucket, settings.prefix) == ("skills", "team/")
    assert settings.endpoint_url in ("http://minio:9000", "http://seaweedfs:8333")


@pytest.mark.parametrize("name", FILES)
def test_the_gateway_waits_for_what_is_published_and_that_for_the_bucket(name: str) -> None:
    """[ours]"""
    found = services(name)
    order = {
        service: {on: row["condition"] for on, row in body.get("depends_on", {}).items()}
        for service, body in found.items()
    }
    ended, healthy = "service_completed_successfully", "service_healthy"
    assert order == {"gateway": {"publish": ended}} | (
        {"publish": {"bucket": ended}, "bucket": {"minio": healthy}, "minio": {}}
        if name == "compose.yaml"
        else {"publish": {"seaweedfs": healthy}, "seaweedfs": {}}
    )
    assert [service for service in order if not order[service] and "healthcheck" not in found[service]] == []


@pytest.mark.parametrize("name", FILES)
def test_a_folder_that_is_mounted_exists_and_is_read_only(name: str) -> None:
    """[ours]"""
    (mount,) = services(name)["publish"]["volumes"]
    source, target, mode = mount.split(":")
    assert ((ROOT / name).parent / source).resolve() == ROOT / "examples/skills"
    assert (target, mode) == (services(name)["publish"]["command"][1], "ro")


@pytest.mark.parametrize("name", FILES)
def test_the_credentials_say_that_they_are_for_here_alone(name: str) -> None:
    """[ours]"""
    written = (ROOT / name).read_text(encoding="utf-8")
    secrets = re.findall(r"(?:SECRET_ACCESS_KEY|PASSWORD): (\S+)", written)
    assert set(secrets) == {"local-only-secret"}
