"""Globs over skill paths: `*` within one segment, `**` for any number of segments, `?` for one character. Pure.

A glob names whole paths. One without a wildcard names one path and nothing below it: `acme/**` is `acme`
and everything below it, `acme/*` what lies in it, `acme` the skill of that path alone. There are no
classes and no braces: every other character stands for itself, and case counts.

Paths come from callers, so that no glob may take long over a path: each part between two wildcards is
taken where it first fits, which loses nothing and leaves nothing to go back to.
"""

import re
from collections.abc import Iterable

from gateway.skill.uri import segment_fault

EVERYTHING = "**"

_ANY_SEGMENTS = "(?:[^/]+/)*"


def glob_fault(glob: str) -> str | None:
    """What is wrong with a glob, as the end of a sentence with what to write instead; None for a good one."""
    if not glob:
        return "is empty; write '**' for every skill"
    if glob.startswith("/") or glob.endswith("/"):
        bare = glob.strip("/")
        meant = f"{bare!r}, or {bare + '/**'!r} for what is below it too" if bare else "'**' for every skill"
        return f"has a slash at an end, and no skill path does; write {meant}"
    for segment in glob.split("/"):
        if fault := segment_fault(segment):
            return f"{fault}; write a path like 'acme/billing/*'"
        if "**" in segment and segment != "**":
            return f"has '**' beside other characters in {segment!r}; write '*' there, or '**' as a segment of its own"
    return None


def path_pattern(globs: Iterable[str]) -> re.Pattern[str]:
    """What fully matches each path that one of the globs names, with a `/` behind it. The globs are good ones."""
    return re.compile("|".join(map(_glob, globs)) or "(?!)")


def _glob(glob: str) -> str:
    first, *more = _runs(glob)
    if not more:
        return first
    *between, last = more
    return first + "".join(f"(?>(?:[^/]+/)*?{run})" for run in between if run) + _ANY_SEGMENTS + last


def _runs(glob: str) -> list[str]:
    """The segments before, between and after each `**`."""
    runs = [""]
    for segment in glob.split("/"):
        if segment == "**":
            runs.append("")
        else:
            runs[-1] += _segment(segment) + "/"
    return runs


def _segment(segment: str) -> str:
    first, *more = (_literal(part) for part in segment.split("*"))
    if not more:
        return first
    *between, last = more
    return first + "".join(f"(?>[^/]*?{part})" for part in between) + "[^/]*" + last


def _literal(text: str) -> str:
    return "[^/]".join(map(re.escape, text.split("?")))
