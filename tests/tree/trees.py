"""Trees of keys for the tests, what must be served of them, and a walk over all pages of a provider."""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from gateway.objects import ObjectStore
from gateway.provider import Caller, Child, EntryPage, Page
from gateway.skill.media import media_type_of
from gateway.skill.model import SKILL_MD, Problem, SkillEntry, SkillFile, SkillPath, digest_of
from gateway.skill.uri import segment_fault
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider

ANYONE = Caller()


def skill_md(name: str, body: str = "", description: str = "Does it.") -> bytes:
    return f'---\nname: "{name}"\ndescription: {description}\n---\n{body}'.encode()


def entry_of(path: str, files: Mapping[str, bytes] | None, directories: Sequence[str] = ()) -> SkillEntry:
    """The entry of a skill whose `SKILL.md` is a `skill_md`, its media types told by name."""
    listed = None
    if files is not None:
        listed = tuple(
            SkillFile(name, len(files[name]), digest_of(files[name]), media_type_of(name, None, True))
            for name in sorted(files, key=lambda name: name.split("/"))
        )
    frontmatter = {"name": path.rpartition("/")[2], "description": "Does it."}
    return SkillEntry(SkillPath(path), frontmatter, listed, tuple(directories))


class Clock:
    """A clock that stands until it is set forward."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def provider_of(
    store: ObjectStore,
    problems: list[Problem] | None = None,
    options: TreeOptions | None = None,
    *,
    now: Callable[[], float] = time.monotonic,
) -> TreeProvider:
    """A provider that answers nothing from memory unless `options` say so."""
    report = None if problems is None else problems.append
    return TreeProvider(store, options or TreeOptions(freshness_s=0), on_problem=report, now=now)


async def pages_of(
    provider: TreeProvider, limit: int, position: str | None = None, within: tuple[str, ...] = ()
) -> list[EntryPage]:
    """All pages from a position on. Fails when a page is too long, or leads back to where it was asked for."""
    pages: list[EntryPage] = []
    while True:
        page = await provider.list(Page(limit=limit, position=position, within=within), ANYONE)
        assert len(page.entries) <= limit
        assert page.position is None or page.position not in {position, *(before.position for before in pages)}
        pages.append(page)
        if (position := page.position) is None:
            return pages


async def entries_of(
    provider: TreeProvider, limit: int = 50, position: str | None = None, within: tuple[str, ...] = ()
) -> list[SkillEntry]:
    return [entry for page in await pages_of(provider, limit, position, within) for entry in page.entries]


async def paths_of(
    provider: TreeProvider, limit: int = 50, position: str | None = None, within: tuple[str, ...] = ()
) -> list[str]:
    return [entry.path for entry in await entries_of(provider, limit, position, within)]


async def children_of(provider: TreeProvider, path: str, directory: str, limit: int) -> list[Child]:
    children: list[Child] = []
    position: str | None = None
    while True:
        page = await provider.read_directory(SkillPath(path), directory, Page(limit=limit, position=position), ANYONE)
        assert len(page.children) <= limit
        assert page.position is None or page.position != position
        children.extend(page.children)
        if (position := page.position) is None:
            return children


def served_of(objects: Mapping[str, bytes], *, others: Iterable[str] = (), max_skill_keys: int = 10_000) -> set[str]:
    """Model: paths of the skills served of these objects, from the whole set of keys at once.

    `others` are keys that are listed and are no objects. Names decide: each `SKILL.md` is a `skill_md`.
    """
    skills = {key.removesuffix(f"/{SKILL_MD}") for key in objects if _is_skill_md(key)}
    served: set[str] = set()
    for skill in skills:
        segments = skill.split("/")
        above = ["/".join(segments[:depth]) for depth in range(1, len(segments) + 1)]
        outermost = next(directory for directory in above if directory in skills)
        count = sum(key.startswith(f"{outermost}/") and key != f"{outermost}/" for key in (*objects, *others))
        is_valid = re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", segments[-1]) is not None
        if is_valid and count <= max_skill_keys and not _is_directory(f"{skill}/{SKILL_MD}", objects):
            served.add(skill)
    return served


def model_entry(path: str, objects: Mapping[str, bytes]) -> SkillEntry:
    """Model: the entry of a served skill, from the whole set of keys at once."""
    below = {key.removeprefix(f"{path}/"): data for key, data in objects.items() if key.startswith(f"{path}/")}
    fit = {name: data for name, data in below.items() if name and _is_fit(name)}
    files = {name: data for name, data in fit.items() if not name.endswith("/") and not _is_directory(name, fit)}
    marked = {name[:-1] for name in fit if name.endswith("/")}
    empty = [name for name in marked if not any(other.startswith(f"{name}/") and other != f"{name}/" for other in fit)]
    return entry_of(path, files, sorted(empty, key=lambda name: name.split("/")))


def _is_skill_md(key: str) -> bool:
    return key.endswith(f"/{SKILL_MD}") and _is_fit(key)


def _is_fit(key: str) -> bool:
    segments = key.removesuffix("/").split("/")
    return not any(segment_fault(segment) or segment.startswith(".") for segment in segments)


def _is_directory(key: str, objects: Mapping[str, bytes]) -> bool:
    return any(other.startswith(f"{key}/") and _is_fit(other) for other in objects)
