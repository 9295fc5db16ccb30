"""The routes of downloads, to be served beside MCP behind the same layers."""

from collections.abc import Iterable

from starlette.routing import BaseRoute, Route

from gateway.downloads.digests import Digests
from gateway.downloads.index import SkillIndex
from gateway.downloads.listing import ROOT
from gateway.downloads.options import DownloadOptions, Place
from gateway.downloads.skills import SkillDownload

_VERBS = ["GET", "HEAD"]


def download_routes(options: DownloadOptions, places: Iterable[Place] = (Place(),)) -> tuple[BaseRoute, ...]:
    """`/skills/…` for people, whose archives unpack into a folder; below ROOT what the discovery draft asks for."""
    digests = Digests()
    return tuple(route for place in places for route in _routes_at(place, options, digests))


def _routes_at(place: Place, options: DownloadOptions, digests: Digests) -> Iterable[BaseRoute]:
    in_folder = SkillDownload(options, place, has_folder=True, has_heads=False)
    as_drafted = SkillDownload(options, place, has_folder=False, has_heads=True)
    yield Route(place.prefix + "/skills/{path:path}", in_folder, methods=_VERBS)
    yield Route(f"{place.prefix}{ROOT}index.json", SkillIndex(options, digests, place), methods=_VERBS)
    yield Route(f"{place.prefix}{ROOT}{{path:path}}", as_drafted, methods=_VERBS)
