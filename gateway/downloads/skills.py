"""A skill over HTTP: as an archive, or its `SKILL.md` alone.

An ETag is a function of the manifest, so that who has the archive costs no read of a file.
"""

import asyncio
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.audit.event import OK
from gateway.downloads.answers import answer_to, is_known, not_modified
from gateway.downloads.asking import Asking, asking
from gateway.downloads.options import DownloadOptions, Place
from gateway.downloads.package import Package, package_beside
from gateway.downloads.reading import checked, pieces_of
from gateway.downloads.transfer import Transfer
from gateway.errors import NotServed
from gateway.skill.model import SKILL_MD, SkillEntry

ENDING = ".zip"

What = Literal["folder", "files", "head"]
"""An archive whose names lie in a folder that is called as the skill is, one without, or `SKILL.md` alone."""


class SkillDownload:
    """ASGI app of one route, whose `path` is a skill's path."""

    def __init__(self, options: DownloadOptions, place: Place, what: What) -> None:
        self._options, self._place, self._what = options, place, what

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        async with asking(request, self._place.variant) as asked:
            try:
                async with asyncio.timeout(self._options.timeout_s):
                    answer = await self._answer(asked)
            except Exception as error:
                answer, asked.result = answer_to(error, scope["path"])
            if isinstance(answer, Response):
                await answer(scope, receive, send)
            else:
                await self._transfer(asked, *answer, receive, send)

    async def _answer(self, asked: Asking) -> "Response | tuple[Transfer, dict[str, str]]":
        entry = await asked.entry(asked.request.path_params["path"])
        return await (self._file if self._what == "head" else self._archive)(asked, entry)

    async def _archive(self, asked: Asking, entry: SkillEntry) -> "Response | tuple[Transfer, dict[str, str]]":
        options = self._options
        package = await package_beside(entry, entry.name if self._what == "folder" else "", options.max_file_bytes)
        headers = self._headers(package.key) | _archive_headers(package, entry.name)
        if is_known(asked.request, headers["ETag"]):
            asked.result = OK
            return not_modified(headers)
        if asked.request.method == "HEAD":
            asked.result = OK
            return Response(headers=headers)
        pieces = pieces_of(package, asked.reading(entry, options))
        transfer = Transfer(pieces, asked.request.scope["path"], options.timeout_s)
        await transfer.begin()
        return transfer, headers

    async def _file(self, asked: Asking, entry: SkillEntry) -> Response:
        file = entry.file(SKILL_MD)
        if file is None:
            raise NotServed(entry.path)
        headers = self._headers(file.digest.partition(":")[2])
        if is_known(asked.request, headers["ETag"]):
            asked.result = OK
            return not_modified(headers)
        if asked.request.method == "HEAD":
            asked.result = OK
            return Response(headers=headers | {"Content-Length": str(file.size)}, media_type="text/markdown")
        data = await checked(file, asked.reading(entry, self._options))
        asked.trace.digest, asked.trace.size_bytes, asked.result = file.digest, len(data), OK
        return Response(data, headers=headers, media_type="text/markdown")

    async def _transfer(
        self, asked: Asking, transfer: Transfer, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        try:
            await transfer.send(headers, receive, send)
        finally:
            asked.result, asked.trace.size_bytes = transfer.result, transfer.sent_bytes
            asked.trace.digest = transfer.digest if transfer.result == OK else None

    def _headers(self, tag: str) -> dict[str, str]:
        return {
            "ETag": f'"{tag}"',
            "Cache-Control": self._options.cache_control,
            "X-Content-Type-Options": "nosniff",
        }


def _archive_headers(package: Package, name: str) -> dict[str, str]:
    # The name of a skill is letters, digits and hyphens: nothing of it needs quoting.
    return {
        "Content-Type": "application/zip",
        "Content-Length": str(package.archive.size_bytes),
        "Content-Disposition": f'attachment; filename="{name}{ENDING}"',
        "Accept-Ranges": "none",
    }
