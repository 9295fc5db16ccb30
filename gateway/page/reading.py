"""What a reader of the page asks for: a skill and its files, by the adapter and with a line in the audit.

Source: provider contract of `gateway.provider`.
"""

import base64
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from gateway import __version__
from gateway.audit.event import OK
from gateway.audit.trace import Trace, current_trace, open_trace
from gateway.errors import GatewayError, NotServed
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.audited import Asked, params_of_client
from gateway.provider import Caller, Child, DirectoryProvider, Origin, Page
from gateway.skill.model import SKILL_MD, SkillEntry
from gateway.skill.uri import print_uri

_CLIENT = params_of_client("skills-gateway page", __version__)


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as it is served: its bytes, and its text when it is one."""

    data: bytes
    text: str | None
    media_type: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The skills of one view, as one caller gets them."""

    adapter: SkillsAdapter
    caller: Caller

    async def skill(self, path: str) -> tuple[SkillEntry, Origin | None]:
        """A skill, and the release it is of. Raises NotServed."""
        with self._recorded("skills/get", print_uri((*path.split("/"), SKILL_MD))) as trace:
            entry = await self.adapter.entry_at(path.split("/"), self.caller)
            if entry is None:
                raise NotServed(f"No skill is served at {path!r}")
            return entry, trace.origin

    async def children(self, entry: SkillEntry) -> tuple[Child, ...]:
        """What lies directly in a dynamic skill, as far as one page of it goes."""
        provider = self.adapter.provider
        if not isinstance(provider, DirectoryProvider):
            return ()
        page = Page(self.adapter.options.page_size)
        return (await provider.read_directory(entry.path, "", page, self.caller)).children

    async def file(self, uri: str) -> FileText:
        """A file by its URI. Raises NotServed, InvalidUri, BinaryRefused, ContentTooLarge."""
        with self._recorded("resources/read", uri):
            result = await self.adapter.read_resource(uri, self.caller, is_modern=False)
        contents = result["contents"][0]
        text = contents.get("text")
        data = base64.b64decode(contents["blob"]) if text is None else text.encode()
        return FileText(data, text, contents["mimeType"])

    @contextmanager
    def _recorded(self, method: str, uri: str) -> Generator[Trace]:
        asked, trace, result = Asked(method, uri, _CLIENT, None), open_trace(self.caller), "internal"
        try:
            yield trace
            result = OK
        except GatewayError as error:
            result = error.reason
            raise
        finally:
            if self.adapter.journal is not None:
                self.adapter.journal.record(asked.answered(current_trace() or trace, result))
