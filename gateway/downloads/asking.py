"""One request for a download: who asks what of which provider, and the line it leaves in the audit."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from starlette.requests import Request

from gateway.audit.trace import Trace, open_trace
from gateway.downloads.options import DownloadOptions
from gateway.downloads.reading import Read
from gateway.errors import NotServed
from gateway.protocol.audited import Asked
from gateway.protocol.caller import current_caller
from gateway.protocol.checks import check_entry
from gateway.protocol.places import Namespaces
from gateway.provider import Caller, Content, SkillProvider
from gateway.skill.model import SkillEntry, SkillFile
from gateway.skill.uri import segment_fault
from gateway.web.view import view_of

METHOD = "download"


class Asking:
    """A request, and what becomes known of its answer. `result` is what the audit says of it."""

    def __init__(self, request: Request, provider: SkillProvider, caller: Caller, trace: Trace) -> None:
        self.request, self.provider, self.caller, self.trace = request, provider, caller, trace
        self.result = "cancelled"

    async def entry(self, path: str) -> SkillEntry:
        """The skill at a path as the URL has it. Raises NotServed where the caller may see none."""
        segments = path.split("/")
        is_fit = not any(segment_fault(segment) for segment in segments)
        place = Namespaces(self.provider.namespaces).skill_at(segments) if is_fit else None
        entry = None if place is None else await self.provider.get(place, self.caller)
        if entry is None:
            raise NotServed(path)
        check_entry(entry, path=place)
        return entry

    def reading(self, entry: SkillEntry, options: DownloadOptions) -> Read:
        """How files of a skill are read, each in time."""

        async def read(file: SkillFile) -> Content:
            async with asyncio.timeout(options.timeout_s):
                return await self.provider.read(entry.path, file.path, self.caller)

        return read


@asynccontextmanager
async def asking(request: Request, variant: str | None) -> AsyncGenerator[Asking]:
    """A request from now to the end of the block, when it is recorded. `variant`: as of Place."""
    caller = current_caller()
    if variant is not None:
        caller = replace(caller, variant=variant)
    adapter = view_of(request, caller).adapter
    assert adapter is not None, "downloads need views that have an adapter"
    asked = Asked(METHOD, request.scope["path"], {}, None)
    found = Asking(request, adapter.provider, caller, open_trace(caller))
    try:
        yield found
    finally:
        if adapter.journal is not None:
            adapter.journal.record(asked.answered(found.trace, found.result))
