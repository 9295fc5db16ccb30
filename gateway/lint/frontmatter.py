"""Findings in the frontmatter: values that hosts read differently, though it is served.

Judges only what the gateway accepts; what it refuses is an error with a place of its own.
"""

import re
from collections.abc import Iterator

import yaml
from yaml.error import MarkedYAMLError
from yaml.reader import ReaderError

from gateway.lint.dialects import disagreement
from gateway.lint.finding import Finding, by_rule
from gateway.lint.spots import Keys, Spot, spots_of
from gateway.skill.frontmatter import FrontmatterRefused, find_frontmatter, load_frontmatter
from gateway.skill.model import Json

_HEADER = re.compile(r"[|>][0-9]?([+-]?)[0-9]?")
_INDICATED = re.compile(r"[|>][+-]?[0-9]")
_SUBSET_ADVICE = "use '|-' or '>-' and indent evenly"
_TEXT_FIELDS = frozenset({"name", "description", "license", "compatibility", "allowed-tools"})


def parsed(data: bytes) -> tuple[str, dict[str, Json]] | None:
    """Text and value of the frontmatter of a whole `SKILL.md`; None when it is refused."""
    try:
        text = find_frontmatter(data, is_whole=True) or ""
        return text, load_frontmatter(text)
    except FrontmatterRefused:
        return None


def frontmatter_findings(path: str, data: bytes) -> Iterator[Finding]:
    """What to mend in the frontmatter of one `SKILL.md`, whole."""
    found = parsed(data)
    if found is None:
        return
    text, _ = found
    spots = spots_of(text)
    for spot in spots:
        if not spot.style and (said := disagreement(spot.text)):
            yield by_rule(path, "ambiguous_scalar", said, spot.line, spot.column)
        if said := _beyond_subset(text, spot):
            message = f"{said}, which the TypeScript SDK cannot read; {_SUBSET_ADVICE}"
            yield by_rule(path, "yaml_subset", message, spot.line, spot.column)
    if (last := open_block(text, spots)) is not None:
        message = (
            f"the block scalar '{last.style}' is the last field, and hosts that trim the frontmatter drop its final "
            f"newline; use '{last.style}-'"
        )
        yield by_rule(path, "last_block_scalar", message, last.line, last.column)
    yield from _yaml11_findings(path, text)


def open_block(text: str, spots: tuple[Spot, ...]) -> Spot | None:
    """The last value when it is a block scalar that keeps a final newline."""
    last = spots[-1] if spots else None
    if last is None or last.style not in ("|", ">"):
        return None
    return last if chomping(text, last) in ("", "+") else None


def chomping(text: str, block: Spot) -> str | None:
    """Chomping indicator of a block scalar: `-`, `+`, or empty; None when no block scalar begins there."""
    match = _HEADER.match(text, block.start)
    return match[1] if match else None


def must_be_text(keys: Keys) -> bool:
    """Whether the specification wants text where these keys lead."""
    if keys[0] == "metadata":
        return len(keys) == 2
    return keys[0] in _TEXT_FIELDS and (len(keys) == 1 or (keys[0] == "allowed-tools" and len(keys) == 2))


def _beyond_subset(text: str, spot: Spot) -> str | None:
    source = text[spot.start : spot.stop]
    if spot.style in ("|", ">") and _INDICATED.match(source):
        return "the block scalar says its indentation by a digit"
    if spot.style in ("'", '"') and "\n" in source:
        return "the quoted value has more than one line"
    return None


def _yaml11_findings(path: str, text: str) -> Iterator[Finding]:
    try:
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            pass
    except MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 2, mark.column + 1) if mark else (1, 1)
        message = f"PyYAML (YAML 1.1) cannot read this: {error.problem}; quote the value"
        yield by_rule(path, "yaml11_unreadable", message, line, column)
    except ReaderError as error:
        before = text[: error.position]
        message = f"PyYAML (YAML 1.1) cannot read U+{ord(text[error.position]):04X}; escape or remove it"
        yield by_rule(path, "yaml11_unreadable", message, before.count("\n") + 2, len(before) - before.rfind("\n"))
