"""The verdict on every row of the broken skills, beside that of the official TypeScript SDK."""

from pathlib import Path

from tests.lint.test_broken_skills import IN_SKILL_MD, IN_TREE, MD
from tests.lint.trees import findings_of, served, skill, write_tree
from tests.lint.typescript import typescript_verdict

# What no SKILL.md of a strict host may have, and the SDK lets through.
ONLY_SERVED_THERE = {
    "control character",
    "integer too large",
    "description blank",
    "license a list",
    "allowed-tools a mapping",
    "binary",  # refused here unless --allow-binary
}
# The SDK reads a subset of YAML, and drops a skill with a link in it; `check` says so.
ONLY_SERVED_HERE = {
    "indentation by a digit",
    "quoted over two lines",
    "link out of the folder",
    "link to another skill",
    "link inside",
    "link to itself",
}


def test_the_verdicts_differ_where_we_know_it(tmp_path: Path) -> None:
    """[SEP-2640] Each exception is named."""
    rows = [(row[0], {MD: row[1]}) for row in IN_SKILL_MD] + [(row[0], {MD: skill()} | dict(row[1])) for row in IN_TREE]
    names = {f"r{number}/a": name for number, (name, _) in enumerate(rows)}
    for root, (_, tree) in zip(names, rows, strict=True):
        write_tree(tmp_path / root.removesuffix("/a"), tree)
    here, there = served(tmp_path) & names.keys(), typescript_verdict(tmp_path) & names.keys()
    assert {names[root] for root in there - here} == ONLY_SERVED_THERE
    assert {names[root] for root in here - there} == ONLY_SERVED_HERE
    assert len(here & there) > len(ONLY_SERVED_THERE) + len(ONLY_SERVED_HERE)
    told = {finding.path.partition("/")[0] for finding in findings_of(tmp_path)}
    assert {root.partition("/")[0] for root in here - there} <= told
