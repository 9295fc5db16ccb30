"""The programs under `examples/library`, started as a user starts them and visited by other people's hosts."""

import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import httpx
import mcp_types
import pytest
from mcp import Client
from pydantic import ConfigDict

import gateway
from tests.conformance.npm import installed_packages
from tests.conformance.scenarios import SKILLS, Check, run_scenario
from tests.conformance.typescript import Seen, seen_by_typescript, to_be_seen
from tests.protocol.host import ERAS, serving

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "examples" / "skills"
REVISION = "2026-07-28"
_WITHIN_S = 30.0
_APPEARS_WITHIN_S = 15.0

STATIC = runpy.run_path(str(ROOT / "examples/library/static_skill.py"))
STATIC_BYTES = len((STATIC["SKILL_MD"] + STATIC["UNITS"]).encode())
ON_CALL = "skill://on-call/SKILL.md: dynamic, so no file can be verified"
TO_BE_SEEN = {
    "static_skill": Seen(REVISION, skills=1, files=2, verified=2, bytes=STATIC_BYTES, directories=2),
    "generated_skill": Seen(REVISION, 1, 0, 0, 0, 0, problems=(ON_CALL,)),
    "folder_catalog": replace(to_be_seen(SAMPLES), revision=REVISION),
}
MANIFEST_NEEDED = {
    "sep-2640-resources-complete",
    "sep-2640-resources-uri-within-skill",
    "sep-2640-resources-digest-format",
    "sep-2640-resources-size-required",
    "sep-2640-limit-resources-per-skill",
    "sep-2640-limit-total-size",
}
"""Checks of the official scenarios that are skipped where no skill has a manifest."""


class Answer(mcp_types.Result):
    """Any result, as it came."""

    model_config = ConfigDict(extra="allow")


async def ask(client: Client, method: str, **params: Any) -> dict[str, Any]:
    request = mcp_types.Request[dict[str, Any], Literal["skills/list"]].model_construct(method=method, params=params)
    return (await client.session.send_request(request, Answer)).model_dump(by_alias=True)


async def listed(url: str) -> list[dict[str, Any]]:
    async with Client(url, mode="auto") as client:
        return (await ask(client, "skills/list"))["skills"]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def running(program: str, *arguments: str) -> Iterator[str]:
    """URL of an example's endpoint; AssertionError unless it ends by SIGTERM as it should."""
    port = free_port()
    command = [sys.executable, f"examples/library/{program}.py", str(port), *arguments]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert within(_WITHIN_S, lambda: is_alive(port, process)), "it never answered /livez"
            yield f"http://127.0.0.1:{port}/mcp"
            process.send_signal(signal.SIGTERM)
            _, complaints = process.communicate(timeout=_WITHIN_S)
        finally:
            process.kill()
    assert process.returncode in (0, -signal.SIGTERM), complaints
    assert "Traceback" not in complaints


def is_alive(port: int, process: "subprocess.Popen[str]") -> bool:
    assert process.poll() is None, f"it ended with {process.returncode}"
    try:
        return httpx.get(f"http://127.0.0.1:{port}/livez").status_code == 200
    except httpx.TransportError:
        return False


def within(seconds: float, is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture(scope="module")
def packages() -> Path:
    return installed_packages()


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """Every program at once, until the last test of this file."""
    with running("static_skill") as static, running("generated_skill") as made, running("folder_catalog") as folder:
        yield {"static_skill": static, "generated_skill": made, "folder_catalog": folder}


@pytest.mark.parametrize(
    ("program", "paths", "resource", "begins"),
    [
        ("static_skill", ["unit-prices"], "unit-prices/references/units.md", "# Units"),
        ("generated_skill", ["on-call"], "on-call/SKILL.md", "---\nname: on-call"),
        (
            "folder_catalog",
            ["acme/billing/refunds", "chart-style", "csv-profile", "incident-timeline", "release-notes"],
            "csv-profile/scripts/profile_csv.py",
            "",
        ),
    ],
)
async def test_the_sdks_client_lists_and_reads(
    urls: dict[str, str], program: str, paths: list[str], resource: str, begins: str
) -> None:
    """[ours: examples]"""
    skills = await listed(urls[program])
    assert [skill["uri"] for skill in skills] == [f"skill://{path}/SKILL.md" for path in paths]
    async with Client(urls[program], mode="auto") as client:
        (content,) = (await client.read_resource(f"skill://{resource}")).contents
    assert isinstance(content, mcp_types.TextResourceContents)
    assert content.text.startswith(begins)


async def test_a_generated_day_is_listed_and_read(urls: dict[str, str]) -> None:
    """[ours: a generated skill] The managed children come first; every day of the week is a file."""
    async with Client(urls["generated_skill"], mode="auto") as client:
        root = (await ask(client, "resources/directory/read", uri="skill://on-call"))["resources"]
        days = (await ask(client, "resources/directory/read", uri="skill://on-call/days"))["resources"]
        (first,) = (await client.read_resource(days[0]["uri"])).contents
    assert [child["uri"] for child in root] == ["skill://on-call/SKILL.md", "skill://on-call/days"]
    assert len(days) == 7
    assert isinstance(first, mcp_types.TextResourceContents)
    assert first.text.startswith(f"# {days[0]['name'].removesuffix('.md')}\n\nOn call: ")


@pytest.mark.parametrize("program", TO_BE_SEEN)
def test_the_typescript_client_sees_every_skill(packages: Path, urls: dict[str, str], program: str) -> None:
    """[SEP-2640] A dynamic skill has no digests, and the client's one complaint is that."""
    assert seen_by_typescript(packages, urls[program], REVISION) == TO_BE_SEEN[program]


def is_for_manifests(check: Check) -> bool:
    return check.id in MANIFEST_NEEDED and check.status == "SKIPPED"


@pytest.mark.parametrize("scenario", SKILLS)
@pytest.mark.parametrize("program", TO_BE_SEEN)
def test_an_official_scenario_passes(
    packages: Path, urls: dict[str, str], tmp_path: Path, program: str, scenario: str
) -> None:
    """[MCP conformance]"""
    checks = run_scenario(packages, urls[program], REVISION, scenario, tmp_path)
    has_manifest = program != "generated_skill"
    fine = ("SUCCESS", "INFO")
    wrong = [check for check in checks if check.status not in fine and (has_manifest or not is_for_manifests(check))]
    assert wrong == []
    assert any(check.status == "SUCCESS" for check in checks)


async def test_a_skill_put_into_the_folder_appears(tmp_path: Path) -> None:
    """[ours: a folder catalogue with reload]"""
    shutil.copytree(SAMPLES, tmp_path / "skills")
    with running("folder_catalog", str(tmp_path / "skills")) as url:
        before = await listed(url)
        (tmp_path / "skills/new").mkdir()
        (tmp_path / "skills/new/SKILL.md").write_text("---\nname: new\ndescription: Just added.\n---\n")
        deadline = time.monotonic() + _APPEARS_WITHIN_S
        while len(after := await listed(url)) == len(before) and time.monotonic() < deadline:
            time.sleep(0.2)  # noqa: ASYNC251 - nothing else runs on this loop
    added = [skill["uri"] for skill in after if skill not in before]
    assert (len(before), added) == (5, ["skill://new/SKILL.md"])


def test_the_public_names_load_no_s3_client() -> None:
    """[ours: importable from `gateway` without aioboto3]"""
    code = (
        "import sys, gateway\n"
        "for name in gateway.__all__: getattr(gateway, name)\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'aioboto3', 'aiobotocore', 'boto3', 'botocore'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_public_name_is_served_and_no_other() -> None:
    """[ours: public names]"""
    served = {name for names in gateway._ROOMS.values() for name in names}
    assert set(gateway.__all__) == served | {"__version__"}
    assert len(gateway.__all__) == len(set(gateway.__all__))
    assert all(getattr(gateway, name) is not None for name in gateway.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = gateway.Nothing  # type: ignore[attr-defined]


async def test_the_program_of_the_document_serves_its_skill() -> None:
    """[ours: docs/library.md] Its code is run as it stands there."""
    text = (ROOT / "docs" / "library.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    async with serving(names["app"]) as host:
        for era in ERAS:
            (skill,) = (await host.call(era, "skills/list")).result["skills"]
            read = await host.call(era, "resources/read", {"uri": skill["uri"]})
            assert read.result["contents"][0]["text"] == names["skill_md"]
