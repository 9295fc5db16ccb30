"""`skills-gateway demo`, as a process, with a real SeaweedFS."""

import http.client
import json
import shlex
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from gateway.cli.connect import connect_lines
from tests.cli.conftest import Run, Start
from tests.cli.test_serve import endpoint_of

GOOD = "---\nname: good\ndescription: Does good.\n---\nDo good.\n"
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


def listed(url: str) -> list[str]:
    """URIs of the first page of skills/list."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    try:
        call = {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": {}}
        connection.request("POST", parts.path, json.dumps(call), HEADERS)
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return [skill["uri"] for skill in answer["result"]["skills"]]


def next_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_the_sample_skills_are_served_until_ctrl_c(start: Start) -> None:
    """[ours] Issue: the main job, one command."""
    with start("demo", "--port", "0") as process:
        url = next_line(process).split()[-1]
        assert listed(url) == [
            "skill://acme/billing/refunds/SKILL.md",
            "skill://chart-style/SKILL.md",
            "skill://csv-profile/SKILL.md",
            "skill://incident-timeline/SKILL.md",
            "skill://release-notes/SKILL.md",
        ]
        pasted = [next_line(process) for _ in range(8)]
        assert pasted[0] == f"Look at them at {url.removesuffix('mcp')}\n"
        assert pasted[2] == f"Claude Code:     claude mcp add --transport http skills {url}\n"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (0, "")
    assert "Traceback" not in stderr


def test_what_left_the_folder_is_gone_at_the_next_start(start: Start, run: Run, tmp_path: Path) -> None:
    """[ours] The bucket holds what the folder holds; SIGTERM stops it too; a second one must wait."""
    skills = tmp_path / "skills"
    for name in ("good", "gone"):
        (skills / name).mkdir(parents=True)
        (skills / name / "SKILL.md").write_text(GOOD.replace("good", name))
    with start("demo", skills, "--port", "0") as process:
        assert len(listed(next_line(process).split()[-1])) == 2
        second = run("demo", skills, "--port", "0")
        assert second.exit_code == 1
        assert second.stderr.startswith("error: another demo runs in ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        assert process.returncode == 0
    (skills / "gone" / "SKILL.md").unlink()
    with start("demo", skills, "--port", "0") as process:
        assert listed(next_line(process).split()[-1]) == ["skill://good/SKILL.md"]


def test_no_serve_prints_the_settings_with_which_serve_finds_the_store(start: Start) -> None:
    """[ours] stdout alone is what a shell takes."""
    with start("demo", "--no-serve") as store:
        lines = [next_line(store) for _ in range(6)]
        words = [shlex.split(line) for line in lines]
        assert {word[0] for word in words} == {"export"}
        env = dict(word[1].split("=", 1) for word in words)
        with start("serve", "--port", "0", env=env) as gateway:
            assert len(listed(endpoint_of(gateway))) == 5
        store.send_signal(signal.SIGINT)
        stdout, stderr = store.communicate(timeout=30)
    assert (store.returncode, stdout) == (0, "")
    assert stderr.endswith("stopped\n")


def test_the_lines_to_paste_carry_the_url() -> None:
    """[ours] Claude Code, VS Code, Cursor, MCP Inspector."""
    lines = connect_lines("http://127.0.0.1:9/mcp").splitlines()
    assert sum("http://127.0.0.1:9/mcp" in line for line in lines) == 4
    assert any("serverUrl=http%3A%2F%2F127.0.0.1%3A9%2Fmcp" in line for line in lines)
    configuration = next(line.partition("mcp.json: ")[2] for line in lines if line.startswith("VS Code"))
    assert json.loads(configuration) == {"servers": {"skills": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}}
