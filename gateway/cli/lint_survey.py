"""The verdict of the very code that serves, and what a linter needs to know beside it.

Rooms that pull in the servers and clients are imported when they are needed: `--help` must not wait for
them.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gateway.cli.folder import SkillFolder
from gateway.cli.lint_bucket import facts_of_bucket
from gateway.cli.lint_folder import LintFolder, facts_of_folder
from gateway.cli.logs import problems_left_to_the_result
from gateway.cli.terminal import talk
from gateway.lint.facts import Facts, hidden_part
from gateway.settings import Settings
from gateway.skill.model import Problem, SkillEntry

_EVERY = 50


@dataclass(frozen=True, slots=True)
class ServedSkill:
    """One skill that is served; `files` and `size` in bytes are None when it is dynamic."""

    path: str
    files: int | None
    size: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found: skills that are served, remarks on them, and what is left out and why."""

    served: tuple[ServedSkill, ...]
    remarks: tuple[Problem, ...]
    refused: tuple[Problem, ...]


async def survey_folder(folder: LintFolder, settings: Settings) -> tuple[Verdict, Facts]:
    """A folder; the bounds among the settings hold, and its files are never too large to hash."""
    root: Path = folder.base / folder.only
    found = await SkillFolder(root).survey(settings)
    facts = await asyncio.to_thread(facts_of_folder, folder)
    return judge(found.entries, (*found.remarks, *found.refused), facts), facts


async def survey_bucket(settings: Settings) -> tuple[Verdict, Facts]:
    """The bucket and prefix of the settings."""
    from gateway.s3 import open_store
    from gateway.sources.tree import tree_options
    from gateway.tree.provider import TreeProvider
    from gateway.wiring import s3_options

    entries: list[SkillEntry] = []
    problems: list[Problem] = []
    options = tree_options(settings)
    async with open_store(s3_options(settings)) as store:
        provider = TreeProvider(store, options, on_problem=problems.append)
        with problems_left_to_the_result(), talk.status("checking ...") as status:
            async for entry in provider.survey():
                entries.append(entry)
                if len(entries) % _EVERY == 0:
                    status.update(f"checking ... {len(entries)} skills served so far")
            status.update("reading each SKILL.md ...")
            facts = await facts_of_bucket(store, options.prefix)
        return judge(entries, problems, facts), facts


def judge(entries: Iterable[SkillEntry], problems: Iterable[Problem], facts: Facts) -> Verdict:
    """A problem of a skill that is served all the same is a remark on it, and so is a link that stays inside."""
    served = tuple(_served(entry) for entry in entries)
    told = tuple(problems)
    harmless = {skill.path for skill in served} | {link.path for link in facts.links if link.is_inside}
    # what is hidden is never served, links or not
    harmless |= {problem.where for problem in told if problem.code == "symlink" and hidden_part(problem.where)}
    remarks = tuple(problem for problem in told if problem.where in harmless)
    return Verdict(served, remarks, tuple(problem for problem in told if problem.where not in harmless))


def _served(entry: SkillEntry) -> ServedSkill:
    if entry.files is None:
        return ServedSkill(entry.path, None, None)
    return ServedSkill(entry.path, len(entry.files), sum(file.size for file in entry.files))
