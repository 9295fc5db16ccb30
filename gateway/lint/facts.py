"""A tree as a linter sees it: paths, sizes, links and the bytes of each `SKILL.md`. Pure values.

Whoever can walk a folder or list a bucket makes these. Paths are relative to what is checked, `/`
between segments.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gateway.skill.model import SKILL_MD


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link, which is never served; `is_inside` when it stays in its skill, or in the tree outside of any."""

    path: str
    is_inside: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """`sizes` of every file that may be served, in bytes; `hidden` are topmost hidden files and directories."""

    sizes: Mapping[str, int]
    hidden: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    texts: Mapping[str, bytes] | None = None
    """Bytes of each `SKILL.md` by its path; those too large to look at are left out."""

    @property
    def skills(self) -> tuple[str, ...]:
        """Directories with a `SKILL.md`, by path."""
        return tuple(sorted(directory_of(path) for path in self.sizes if path.endswith(f"/{SKILL_MD}")))


def facts_of(sizes: Mapping[str, int], links: Iterable[Link] = (), texts: Mapping[str, bytes] | None = None) -> Facts:
    """Facts of files by path, hidden ones among them. Whatever lies below a hidden directory is one hidden thing."""
    visible = {path: size for path, size in sizes.items() if not hidden_part(path)}
    hidden = {part for path in sizes if (part := hidden_part(path))}
    return Facts(visible, tuple(sorted(hidden)), tuple(links), texts)


def hidden_part(path: str) -> str:
    """The path up to its first hidden segment; empty when nothing in it is hidden."""
    segments = path.split("/")
    depth = next((depth for depth, segment in enumerate(segments, 1) if segment.startswith(".")), 0)
    return "/".join(segments[:depth])


def directory_of(path: str) -> str:
    """Where a file lies; empty for the root."""
    return path.rpartition("/")[0]


def owner_of(path: str, skills: Iterable[str]) -> str | None:
    """The outermost skill a path lies in; None outside of all."""
    return min((skill for skill in skills if path.startswith(f"{skill}/")), key=len, default=None)
