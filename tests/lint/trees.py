"""Trees of files for the linter, and what it says of them together with the code that serves."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from gateway.cli.lint_folder import LintFolder
from gateway.cli.lint_survey import survey_folder
from gateway.lint.finding import Finding, Policy
from gateway.lint.lint import lint
from gateway.settings import Settings

DEFAULT = Policy({})


def write_tree(root: Path, tree: Mapping[str, str | bytes]) -> Path:
    """Files by path. A text that begins with `->` is the target of a symbolic link."""
    for path, content in tree.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            place.write_bytes(content)
        elif content.startswith("->"):
            place.symlink_to(content.removeprefix("->"))
        else:
            place.write_bytes(content.encode())
    return root


def findings_of(folder: Path, policy: Policy = DEFAULT) -> tuple[Finding, ...]:
    """What `check` finds in a folder."""
    at = LintFolder.at(folder)
    verdict, facts = asyncio.run(survey_folder(at, Settings(bucket="folder")))
    return lint(facts, (*verdict.remarks, *verdict.refused), policy)


def served(folder: Path) -> set[str]:
    """Paths of the skills that the gateway serves of a folder."""
    verdict, _ = asyncio.run(survey_folder(LintFolder.at(folder), Settings(bucket="folder")))
    return {skill.path for skill in verdict.served}


def skill(fields: str = "", body: str = "Body.\n", *, name: str = "a", description: str = "Does a.") -> str:
    """A `SKILL.md`; `fields` begin in line 4."""
    return f"---\nname: {name}\ndescription: {description}\n{fields}---\n{body}"
