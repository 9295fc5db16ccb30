"""Roots of globs: the paths at or below which all lies that they name, so that nothing else need be listed. Pure."""

from collections.abc import Iterable

from gateway.provider import lies_within

MAX_ROOTS = 16
"""More roots become fewer by leaving out their last segments: a store is asked once for each."""


def roots_of(globs: Iterable[str]) -> tuple[str, ...]:
    """The segments of each glob before its first wildcard, sorted, none below another; none for everywhere.

    A skill is seen when a glob names it or one it is nested in, and all of these lie there.
    """
    roots = _outermost(map(_literal, globs))
    while len(roots) > MAX_ROOTS:
        deepest = max(root.count("/") for root in roots)
        roots = _outermost(_parent(root) if root.count("/") == deepest else root for root in roots)
    return () if "" in roots else tuple(roots)


def narrowed(wanted: tuple[str, ...], roots: tuple[str, ...]) -> tuple[str, ...] | None:
    """What lies in both, as roots: none for everywhere, None for nowhere."""
    if not wanted or not roots:
        return wanted or roots
    pairs = [(one, other) for one in wanted for other in roots]
    both = [one for one, other in pairs if lies_within(one, other)]
    return tuple(dict.fromkeys((*both, *(other for one, other in pairs if lies_within(other, one))))) or None


def _literal(glob: str) -> str:
    segments = glob.split("/")
    wild = (number for number, segment in enumerate(segments) if "*" in segment or "?" in segment)
    return "/".join(segments[: next(wild, len(segments))])


def _outermost(paths: Iterable[str]) -> list[str]:
    """Without those that lie below another, sorted by segments, so that what lies below one follows it."""
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda path: path.split("/")):
        if not kept or not lies_within(path, kept[-1]):
            kept.append(path)
    return kept


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
