"""The README and the documents beside it say what the code does."""

import re
import shlex
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer

from gateway import FolderFiles, SkillCatalog, http_app
from gateway.metrics.instruments import REGISTRY
from gateway.policy.table import parse_rule
from gateway.settings import Settings
from gateway.settings.faults import variable
from tests.protocol.host import serving
from tools.tables import TABLES, with_table

ROOT = Path(__file__).parent.parent
DOCUMENTS = tuple(sorted((ROOT / "docs").glob("*.md")))
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", TABLES)
def test_the_generated_tables_are_up_to_date(file: str) -> None:
    """[ours] Mend it with: make docs."""
    text = (ROOT / file).read_text(encoding="utf-8")
    assert with_table(file, text) == text


def test_a_file_without_its_markers_is_refused() -> None:
    """[ours]"""
    with pytest.raises(ValueError, match=r"docs/settings.md has 0 parts marked settings, expected one"):
        with_table("docs/settings.md", "# Settings\n")


def test_every_variable_that_the_documents_name_exists() -> None:
    """[ours] GATEWAY_CONFIG names the file, two others are for tests; none is a setting."""
    texts = [README, *(file.read_text(encoding="utf-8") for file in (ROOT / "CHANGELOG.md", *DOCUMENTS))]
    named = set(re.findall(r"GATEWAY_[A-Z_]*[A-Z]", "\n".join(texts)))
    assert named - {"GATEWAY_CONFIG", "GATEWAY_SKIP_NPM", "GATEWAY_CHROMIUM"} == {
        variable(name) for name in Settings.model_fields
    }


def test_every_make_target_that_the_readme_names_exists() -> None:
    """[ours]"""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)\b(?! it)", README)) - {"them"} <= targets


async def test_the_requests_of_the_readme_are_answered() -> None:
    """[ours] Over the sample skills, in both eras."""
    block = re.search(r"Ask it by hand.*?```sh\n(.*?)```", README, re.DOTALL)
    assert block is not None
    server = MCPServer("samples")
    (await SkillCatalog.load(FolderFiles(ROOT / "examples" / "skills"), allow_binary=True)).attach(server)
    app = http_app(server)
    said: list[dict[str, Any]] = []
    async with serving(app) as host:
        for command in block[1].split("\n\n"):
            _, _, url, *flags = shlex.split(command)
            fields = [value for flag, value in pairwise(flags) if flag == "-H"]
            headers = dict(field.split(": ", 1) for field in fields)
            said.append((await host.client.post(url, content=flags[-1], headers=headers)).json())
    got, read = (one["result"] for one in said)
    assert got["skill"]["frontmatter"]["name"] == "refunds"
    assert read["contents"][0]["text"].startswith("---\nname: refunds\n")


def test_the_rules_of_the_documents_are_rules() -> None:
    """[ours] None of them is refused."""
    text = (ROOT / "docs" / "access.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    rules = [parse_rule(table) for example in examples for table in tomllib.loads(example)["rules"]]
    assert len(rules) == 5


def test_every_link_into_the_repository_leads_somewhere() -> None:
    """[ours] Also to a heading."""
    found: list[str] = []
    for file in (ROOT / "README.md", *DOCUMENTS):
        text = file.read_text(encoding="utf-8")
        links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
        found += links
        for link in links:
            path, _, heading = link.partition("#")
            target = (file.parent / path) if path else file
            assert target.exists(), f"{file.name}: {link}"
            if heading:
                titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
                assert heading in {title.lower().replace(" ", "-").replace(",", "") for title in titles}, link
    assert len(found) > 15


def test_every_metric_that_the_documents_name_exists() -> None:
    """[ours]"""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    columns = [line.split(" | ")[1] for line in text.splitlines() if line.count(" | ") == 3]
    named = {name for column in columns for name in re.findall(r"`([a-z0-9_]+)(?:\{[^`]*\})?`", column) if "_" in name}
    known = {f"{getattr(one, '_name', '')}".removeprefix("skills_gateway_") for one in REGISTRY._collector_to_names}
    assert {name.removesuffix("_total") for name in named} <= known | {"refused"}
    assert len(named) > 5
