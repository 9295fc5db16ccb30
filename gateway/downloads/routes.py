"""The routes of downloads, to be served beside MCP behind the same layers."""

from collections.abc import Iterable

from starlette.routing import BaseRoute, Route

from gateway.downloads.digests import Digests
from gateway.downloads.index import SkillIndex
from gateway.downloads.listing import ROOT
from gateway.downloads.options import DownloadOptions, Place
from gateway.downloads.skills import ENDING, SkillDownload, What
from gateway.skill.model import SKILL_MD

_VERBS = ["GET", "HEAD"]


def download_routes(options: DownloadOptions, places: Iterable[Place] = (Place(),)) -> tuple[BaseRoute, ...]:
    """`/skills/…` for people, whose archives unpack into a folder; below ROOT what the discovery draft asks for."""
    digests = Digests()
    return tuple(route for place in places for route in _routes_at(place, options, digests))


def _routes_at(place: Place, options: DownloadOptions, digests: Digests) -> Iterable[BaseRoute]:
    whats: tuple[tuple[str, What], ...] = (
        (f"/skills/{{path:path}}{ENDING}", "folder"),
        (f"{ROOT}{{path:path}}{ENDING}", "files"),
        (f"{ROOT}{{path:path}}/{SKILL_MD}", "head"),
    )
    yield Route(f"{place.prefix}{ROOT}index.json", SkillIndex(options, digests, place), methods=_VERBS)
    for path, what in whats:
        yield Route(place.prefix + path, SkillDownload(options, place, what), methods=_VERBS)
