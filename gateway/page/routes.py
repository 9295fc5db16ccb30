"""The routes of the page: each asks, and fills a template with what it was told."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway import __version__
from gateway.errors import GatewayError, NotServed, RequestError
from gateway.page.answers import ASSETS, Templates, download
from gateway.page.connect import hosts, inspector_address
from gateway.page.faults import BROKEN, Fault, fault_of
from gateway.page.folders import folders_of, groups_of
from gateway.page.links import IMAGE_TYPES, Addresses, images_of, links_of
from gateway.page.reading import Reading
from gateway.page.rendered import Rendered, body_of
from gateway.page.steps import steps_of
from gateway.page.variants import PREFIX, SeenBy, addresses_in, caller_in, links_for
from gateway.protocol.caller import caller_var, current_caller
from gateway.protocol.survey import SEEN_AT_MOST, Question, survey
from gateway.skill.media import BYTES, MARKDOWN
from gateway.skill.model import SKILL_MD, SkillEntry
from gateway.skill.uri import print_uri, skill_uri
from gateway.web.view import view_of

logger = logging.getLogger(__name__)

PUBLIC_PATHS = frozenset(ASSETS)
ENOUGH = 300
"""Skills on one page of the catalogue, about."""
_MAX_TEXT = 200
_MAX_SHOWN_BYTES = 512 * 1024

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class PageOptions:
    """`path_of` tells the path of a variant's endpoint; `needs_token`: hosts must send one.

    It lies below `public_url`, or below the address that the reader came by where there is none.
    """

    path_of: Callable[[str], str]
    public_url: str = ""
    needs_token: bool = False
    has_archives: bool = False
    """Whether a skill can be downloaded as one archive."""
    seen_by: SeenBy | None = None
    """The variants a caller may know of, where there are others than the one without a name."""


class Pages:
    """The pages of one app."""

    def __init__(self, options: PageOptions) -> None:
        self._options, self._templates, self._rendered = options, Templates(), Rendered()

    def routes(self) -> tuple[BaseRoute, ...]:
        """Routes for `WebOptions`; those of `PUBLIC_PATHS` show nothing of any skill."""
        pages: Mapping[str, Handler] = {
            "/": self.catalogue,
            "/skills/{path:path}": self.skill,
            "/files/{path:path}": self.file,
            "/problems": self.problems,
            "/history": self.history,
            "/connect": self.connect,
        }
        bases = ("", f"{PREFIX}{{variant}}") if self._options.seen_by else ("",)
        shown = [
            Route(base + path, self._guarded(handler), methods=["GET"])
            for base in bases
            for path, handler in pages.items()
        ]
        return (*shown, *(Route(path, self._asset, methods=["GET"]) for path in ASSETS))

    async def catalogue(self, request: Request) -> Response:
        asked = Question(request.query_params.get("q", "")[:_MAX_TEXT].strip(), request.query_params.get("in", ""))
        adapter = _reading(request).adapter
        found = await survey(adapter, current_caller(), asked, request.query_params.get("at"), enough=ENOUGH)
        following = {"q": asked.text, "in": asked.folder, "at": found.cursor or ""}
        values = {
            "question": asked,
            "groups": groups_of(found.entries),
            "folders": folders_of(found.entries),
            "found": found,
            "is_first": "at" not in request.query_params,
            "more": f"{_at(request).base}/?{urlencode({name: value for name, value in following.items() if value})}",
        }
        return self._page(request, "catalogue.html", values)

    async def skill(self, request: Request) -> Response:
        reading, file_path = _reading(request), request.query_params.get("file", SKILL_MD)
        entry, origin = await reading.skill(request.path_params["path"])
        if not entry.is_dynamic and entry.file(file_path) is None:
            raise NotServed(f"{file_path!r} of {entry.path!r} is not served")
        read = await reading.file(skill_uri(entry.path, file_path))
        text = read.text if read.text is not None and len(read.data) <= _MAX_SHOWN_BYTES else None
        html = (
            await self._html(_at(request), entry, file_path, text)
            if read.media_type == MARKDOWN and text is not None
            else None
        )
        values = {
            "entry": entry,
            "origin": origin,
            "uri": skill_uri(entry.path, SKILL_MD),
            "file_path": file_path,
            "is_image": read.media_type in IMAGE_TYPES,
            "size_bytes": len(read.data),
            "text": text,
            "html": html,
            "nested": _nested(entry),
            "archive": None if entry.is_dynamic else self._archive(request, entry),
            "children": await reading.children(entry) if entry.is_dynamic else (),
        }
        return self._page(request, "skill.html" if file_path == SKILL_MD else "file.html", values)

    async def file(self, request: Request) -> Response:
        segments = tuple(request.path_params["path"].split("/"))
        read = await _reading(request).file(print_uri(segments))
        return download(read.data, segments[-1], read.media_type if read.media_type in IMAGE_TYPES else BYTES)

    async def problems(self, request: Request) -> Response:
        view, caller = view_of(request), current_caller()
        looked = await survey(_reading(request).adapter, caller, Question(), enough=SEEN_AT_MOST)
        values = {"problems": await view.problems(caller), "looked": looked}
        return self._page(request, "problems.html", values)

    async def history(self, request: Request) -> Response:
        skill = request.query_params.get("skill", "")
        steps = await steps_of(view_of(request), skill)
        return self._page(request, "history.html", {"steps": steps, "skill": skill})

    async def connect(self, request: Request) -> Response:
        options = self._options
        base = options.public_url or str(request.base_url).rstrip("/")
        url, needs_token = base + options.path_of(current_caller().variant), options.needs_token
        values = {
            "url": url,
            "hosts": hosts(url, needs_token=needs_token),
            "needs_token": needs_token,
            "inspector": inspector_address(url),
        }
        return self._page(request, "connect.html", values)

    async def _asset(self, request: Request) -> Response:
        return self._templates.asset(request.url.path)

    def _archive(self, request: Request, entry: SkillEntry) -> str | None:
        """Where a skill can be downloaded as one archive: for what is at the root there, for variants by name below."""
        variant = current_caller().variant
        if not self._options.has_archives:
            return None
        if not _at(request).base:
            return f"{Addresses().skill(entry.path)}.zip"
        return f"{Addresses(self._options.path_of(variant)).skill(entry.path)}.zip" if variant else None

    async def _html(self, at: Addresses, entry: SkillEntry, file_path: str, text: str) -> str | None:
        types = {file.path: file.media_type for file in entry.files or ()}

        def shows(path: str) -> bool:
            return types.get(path) in IMAGE_TYPES

        body = body_of(text) if file_path.endswith(SKILL_MD) else text
        link = links_of(at, entry.path, file_path, types.__contains__)
        image = images_of(at, entry.path, file_path, shows)
        context = "\n".join((at.base, entry.path, file_path, *types))
        return await self._rendered.html(body, context, link, image)

    def _page(self, request: Request, template: str, values: Mapping[str, Any], *, status: int = 200) -> Response:
        common: Mapping[str, Any] = {
            "at": _at(request),
            "here": request.url.path.removeprefix(_at(request).base),
            "variants": links_for(current_caller(), self._options.seen_by) if self._options.seen_by else (),
            "has_history": view_of(request).history() is not None,
            "principal": current_caller().subject,
            "version": __version__,
        }
        return self._templates.html(template, {**common, **values}, status=status)

    def _guarded(self, handler: Handler) -> Handler:
        """A handler whose errors are pages too; what they say is not what went wrong, which is for the log."""

        async def guarded(request: Request) -> Response:
            request.state.page_addresses = Addresses()
            token = None
            try:
                if (named := request.path_params.get("variant")) is not None and self._options.seen_by is not None:
                    token = caller_var.set(caller_in(named, current_caller(), self._options.seen_by))
                    request.state.page_addresses = addresses_in(named)
                return await handler(request)
            except RequestError as error:
                return self._fault(request, fault_of(error))
            except GatewayError as error:
                logger.warning("the page %s cannot be shown: %s: %s", request.url.path, error.reason, error)
                return self._fault(request, fault_of(error))
            except Exception:
                logger.exception("the page: unexpected error")
                return self._fault(request, BROKEN)
            finally:
                if token is not None:
                    caller_var.reset(token)

        return guarded

    def _fault(self, request: Request, fault: Fault) -> Response:
        return self._page(request, "fault.html", {"fault": fault}, status=fault.status)


def _at(request: Request) -> Addresses:
    return request.state.page_addresses


def _reading(request: Request) -> Reading:
    adapter = view_of(request).adapter
    assert adapter is not None, "the page needs views that have an adapter"
    return Reading(adapter, current_caller())


def _nested(entry: SkillEntry) -> list[str]:
    """Paths of the skills nested in one."""
    inner = [file.path for file in entry.files or () if file.path.endswith(f"/{SKILL_MD}")]
    return [f"{entry.path}/{path.removesuffix(f'/{SKILL_MD}')}" for path in inner]
