"""Where the links and pictures of a skill's Markdown lead on the page. Pure.

A relative one that names a file of the skill leads to that file; `https`, `http` and `mailto` go out; nothing else is
a link. A picture from elsewhere is never loaded: it becomes a link.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from gateway.skill.model import SKILL_MD

IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Pictures that a browser shows on the page. SVG is not one: it may hold scripts."""

Resolve = Callable[[str], str | None]
"""A target as Markdown has it to an address, None where there is none to go to."""

_OUTSIDE = frozenset({"http", "https", "mailto"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HEADING = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the pages of one view lie: below `base`, a path without a slash at its end."""

    base: str = ""

    def skill(self, path: str, file_path: str = SKILL_MD) -> str:
        """The page of a skill, or of a file of it."""
        asked = "" if file_path == SKILL_MD else f"?file={quote(file_path, safe='')}"
        return f"{self.base}/skills/{quote(path)}{asked}"

    def file(self, path: str, file_path: str) -> str:
        """The bytes of a file."""
        return f"{self.base}/files/{quote(path)}/{quote(file_path)}"


def heading_id(text: str) -> str:
    """What a heading is called in links to it; never a name that a script could stumble over."""
    return "md-" + _HEADING.sub("-", text.casefold()).strip("-")


def links_of(at: Addresses, path: str, file_path: str, files: Callable[[str], bool]) -> Resolve:
    """How links in a file of a skill resolve; `files` tells whether the skill has a file."""

    def resolve(target: str) -> str | None:
        if is_outside(target):
            return target
        if target.startswith("#"):
            return "#" + heading_id(unquote(target[1:]))
        named = _named(target, file_path)
        return at.skill(path, named) if named is not None and files(named) else None

    return resolve


def images_of(at: Addresses, path: str, file_path: str, shown: Callable[[str], bool]) -> Resolve:
    """The address of a picture that is a file of the skill and is shown; None for all others."""

    def resolve(target: str) -> str | None:
        named = None if is_outside(target) else _named(target, file_path)
        return at.file(path, named) if named is not None and shown(named) else None

    return resolve


def is_outside(target: str) -> bool:
    """Whether a link leads away by a scheme that a browser may follow."""
    try:
        return urlsplit(target).scheme.lower() in _OUTSIDE
    except ValueError:
        return False


def _named(target: str, file_path: str) -> str | None:
    """The path in the skill that a relative target names; None when it names none."""
    if _SCHEME.match(target) or target.startswith(("/", "\\")):
        return None
    plain = unquote(target.partition("#")[0].partition("?")[0])
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(file_path), plain))
    return None if not plain or joined.startswith("../") or joined in ("..", ".") else joined
