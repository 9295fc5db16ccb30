"""The Dockerfile: linted, and what an operator relies on. No engine builds it here."""

import json
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from gateway.local.process import free_ports
from gateway.local.seaweedfs import find_program

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
FINAL = DOCKERFILE.rpartition("\nFROM ")[2]


def linted(dockerfile: str) -> subprocess.CompletedProcess[str]:
    hadolint = find_program("hadolint", "install skills-gateway[dev]")
    command = [str(hadolint), "--no-color", "--config", str(ROOT / ".hadolint.yaml"), "-"]
    return subprocess.run(command, input=dockerfile, capture_output=True, text=True, check=False)


def healthy_by(program: str, port: int) -> bool:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env={"GATEWAY_PORT": str(port)}, capture_output=True, check=False).returncode == 0


@contextmanager
def answering(status: int) -> Iterator[int]:
    """The port of a server that says `status` on /livez, and 404 elsewhere."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/livez" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has above
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def health_check() -> str:
    """The program of the HEALTHCHECK."""
    (found,) = re.findall(r"^    CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    python, flag, program = json.loads(found)
    assert (python, flag) == ("python", "-c")
    return program


def health_check_of_ecs() -> str:
    """The same of the task definition, where the port is written out."""
    terraform = (ROOT / "terraform/modules/service/main.tf").read_text(encoding="utf-8")
    (found,) = re.findall(r'^  is_alive = "(.*)"$', terraform, re.MULTILINE)
    return found.replace("${local.port}", "int(__import__('os').environ['GATEWAY_PORT'])")


def test_the_linter_has_nothing_to_say() -> None:
    """[hadolint]"""
    done = linted(DOCKERFILE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("FROM python:${PYTHON}\n", "FROM python\n", "DL3006"),
        ('licenses="MIT"', 'licenses="Free"', "DL3054"),
    ],
)
def test_the_linter_would_say_something(right: str, wrong: str, rule: str) -> None:
    """[hadolint] A base without a tag; a licence that is none."""
    done = linted(DOCKERFILE.replace(right, wrong))
    assert (done.returncode, rule in done.stdout) == (1, True)


def test_it_runs_as_a_user_by_number_who_is_not_root() -> None:
    """[ours] By number, so that a cluster can tell that it is not root; ECS is told the same one."""
    assert re.findall(r"^USER (.*)$", FINAL, re.MULTILINE) == ["10001:10001"]


def test_the_base_is_pinned_by_a_tag_of_version_and_distribution() -> None:
    """[ours]"""
    assert re.findall(r"^ARG PYTHON=(.*)$", DOCKERFILE, re.MULTILINE) == ["3.13-slim-trixie"]
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["python:${PYTHON}", "python:${PYTHON}"]


def test_nothing_is_built_or_installed_in_the_last_stage() -> None:
    """[ours]"""
    assert re.findall(r"^(?:RUN|COPY|ADD) (.*)$", FINAL, re.MULTILINE) == [
        "python -m pip uninstall --yes --quiet pip",
        "--from=build /opt/gateway /opt/gateway",
    ]


def test_no_setting_of_the_gateway_is_baked_in() -> None:
    """[ours] GATEWAY_HOST as a variable would make check and publish ask who may call."""
    assert re.findall(r"^(?:ENV|ARG|    )\s*GATEWAY_\w+", FINAL, re.MULTILINE) == []
    assert re.findall(r"^(?:ENTRYPOINT|CMD) (.*)$", FINAL, re.MULTILINE) == [
        '["skills-gateway"]',
        '["serve", "--host", "0.0.0.0"]',
    ]


def test_the_version_on_the_label_is_that_of_the_package() -> None:
    """[ours]"""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert re.findall(r"^ARG VERSION=(.*)$", DOCKERFILE, re.MULTILINE) == [version]


@pytest.mark.parametrize("program", [health_check(), health_check_of_ecs()], ids=["image", "ecs"])
def test_the_health_check_tells_alive_from_dead(program: str) -> None:
    """[ours] Alive; answering with an error; not answering."""
    with answering(200) as alive, answering(503) as failing:
        assert healthy_by(program, alive)
        assert not healthy_by(program, failing)
    assert not healthy_by(program, free_ports(1)[0])


def test_the_build_sees_what_it_copies_and_no_more() -> None:
    """[ours] Not .git, .env, tests or whatever lies about."""
    rules = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    copied = [
        name for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]
    ]
    assert rules[0] == "*"
    assert sorted(rule[1:] for rule in rules if rule.startswith("!")) == sorted(copied)
    assert [name for name in copied if not (ROOT / name).exists()] == []
