"""What may be mended in a `SKILL.md` without asking: old bytes to new bytes, and what was changed. Pure.

Only what keeps the meaning: a byte order mark, CRLF, quotes around plain scalars that hosts read
differently or that must be text, and `-` on a last block scalar. A mended file is a fixed point.
"""

import re
from dataclasses import dataclass

from gateway.lint.dialects import disagreement
from gateway.lint.frontmatter import chomping, must_be_text, open_block, parsed
from gateway.lint.spots import Spot, spots_of
from gateway.skill.yaml_scalars import UnfitNumber, plain_value

_BOM = b"\xef\xbb\xbf"
_CRLF = re.compile(rb"\r++\n")  # CR CR LF is what a careless CRLF of CRLF leaves
_QUOTABLE = re.compile(r"[\x20-\x7e]+")
_FENCE = re.compile(r"---[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Fixed:
    """The bytes to write, and each change as words; no change when there is nothing to mend."""

    data: bytes
    changes: tuple[str, ...]


def fixed(data: bytes) -> Fixed:
    """A `SKILL.md` mended. Bytes that are no UTF-8 are left alone."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return Fixed(data, ())
    changes: list[str] = []
    if data.startswith(_BOM):
        data = data.removeprefix(_BOM)
        changes.append("removed the byte order mark")
    if b"\r\n" in data:
        data = _CRLF.sub(b"\n", data)
        changes.append("changed CRLF to LF")
    found = parsed(data)
    if found is None:
        return Fixed(data, tuple(changes))
    mended, said = _mended(found[0])
    whole = data.decode()
    opening = _FENCE.match(whole)
    assert opening is not None
    end = opening.end() + len(found[0])
    candidate = (whole[: opening.end()] + mended + whole[end:]).encode()
    if not said or parsed(candidate) is None:  # never leave a file that is worse than it was
        return Fixed(data, tuple(changes))
    return Fixed(candidate, (*changes, *said))


def _mended(text: str) -> tuple[str, list[str]]:
    spots = spots_of(text)
    changes: list[tuple[int, int, str, str]] = []
    for spot in spots:
        if _wants_quotes(spot) and text[spot.start : spot.stop] == spot.text:
            said = f"quoted {spot.text} in line {spot.line}"
            changes.append((spot.start, spot.stop, f'"{spot.text}"', said))
    block = open_block(text, spots)
    if block is not None and not chomping(text, block):  # `+` says that the newlines are meant
        indicator = text[block.start]
        said = f"changed {indicator} to {indicator}- in line {block.line}"
        changes.append((block.start, block.start + 1, f"{indicator}-", said))
    for start, stop, new, _ in reversed(changes):
        text = text[:start] + new + text[stop:]
    return text, [said for *_, said in changes]


def _wants_quotes(spot: Spot) -> bool:
    if spot.style or not _QUOTABLE.fullmatch(spot.text) or '"' in spot.text or "\\" in spot.text:
        return False
    try:
        value = plain_value(spot.text)
    except UnfitNumber:
        return False
    if isinstance(value, str):
        return disagreement(spot.text) is not None
    return value is not None and not spot.is_key and must_be_text(spot.keys)
