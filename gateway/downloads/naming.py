"""Which names a file may have in an archive that means the same wherever it is unpacked. Pure.

The rules of a skill have already refused what leaves its folder by name: dot segments, empty ones, backslashes,
control characters. What is left here is what some system reads as something else: a drive or a stream (`:`), a device,
a name whose end is cut off, one that is too long, and two names that are one where case or composition does not count.
Source: Microsoft, Naming Files, Paths, and Namespaces; Unicode Standard Annex 15 (NFC).
"""

import re
import unicodedata
from collections.abc import Iterable

from gateway.skill.uri import segment_fault

_FORBIDDEN = re.compile(r'[<>:"|?*]')
# Their names count with any ending, and with blanks before it; superscript digits are digits there.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?", re.IGNORECASE)
_MAX_NAME_BYTES = 255
_PLAIN = re.compile(r"[A-Za-z0-9_-]{5,180}(?:\.[a-z0-9]{1,60})?")
"""Names without any of this, which nearly all have."""


def names_fault(paths: Iterable[str]) -> str | None:
    """Why files of these paths cannot be in one archive, as a sentence; None when they can."""
    # By the place above and the name there, as a path of many folders is long.
    places: dict[tuple[int, str], tuple[int, str]] = {}
    for path in paths:
        above = 0
        for segment in path.split("/"):
            if fault := _fault(segment):
                return f"The file {path!r} cannot be unpacked everywhere: it {fault}"
            above, known = places.setdefault((above, _folded(segment)), (len(places) + 1, segment))
            if known != segment:
                return (
                    f"The file {path!r} cannot be unpacked everywhere: {known!r} is there too, and case may not count"
                )
    return None


def _fault(segment: str) -> str | None:
    if _PLAIN.fullmatch(segment):
        return None
    if fault := segment_fault(segment):
        return fault
    if odd := _FORBIDDEN.search(segment):
        return f"has {odd[0]!r} in its name"
    if _DEVICE.fullmatch(segment):
        return "has the name of a device"
    if segment[-1] in " .":
        return "has a blank or a dot at the end of a name"
    if (name_bytes := len(segment.encode())) > _MAX_NAME_BYTES:
        return f"has a name of {name_bytes} bytes, where most systems take {_MAX_NAME_BYTES}"
    return None


def _folded(segment: str) -> str:
    if segment.isascii():
        return segment.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", segment).casefold())
