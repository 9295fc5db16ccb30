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
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.audited import Asked
from gateway.protocol.caller import current_caller
from gateway.provider import Caller, Content
from gateway.skill.model import SkillEntry, SkillFile
from gateway.skill.uri import segment_fault
from gateway.web.view import view_of

METHOD = "download"


class Asking:
    """A request, and what becomes known of its answer. `result` is what the audit says of it."""

    def __init__(self, request: Request, adapter: SkillsAdapter, caller: Caller, trace: Trace) -> None:
        self.request, self.adapter, self.caller, self.trace = request, adapter, caller, trace
        self.result = "cancelled"

    async def entry(self, path: str) -> SkillEntry:
        """The skill at a path as the URL has it. Raises NotServed where the caller may see none."""
        segments = path.split("/")
        is_fit = not any(segment_fault(segment) for segment in segments)
        entry = await self.adapter.entry_at(segments, self.caller) if is_fit else None
        if entry is None:
            raise NotServed(path)
        return entry

    def reading(self, entry: SkillEntry, options: DownloadOptions) -> Read:
        """How files of a skill are read, each in time."""

        async def read(file: SkillFile) -> Content:
            async with asyncio.timeout(options.timeout_s):
                return await self.adapter.provider.read(entry.path, file.path, self.caller)

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
    found = Asking(request, adapter, caller, open_trace(caller))
    try:
        yield found
    finally:
        if adapter.journal is not None:
            adapter.journal.record(asked.answered(found.trace, found.result))
