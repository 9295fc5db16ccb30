"""Skills as prompts, for hosts that show prompts to people and do not speak the extension.

A prompt is called like its skill's path, with `:` between segments and whatever is odd in one percent-encoded, so that
hosts that make commands of names can.
Source: MCP 2026-07-28, Prompts.
"""

from urllib.parse import quote, unquote

from mcp_types import GetPromptRequestParams

from gateway.audit.trace import current_trace
from gateway.cursor import CursorScope
from gateway.errors import NotServed
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.checks import check_page
from gateway.protocol.wire import JsonObject
from gateway.provider import Caller
from gateway.skill.model import SKILL_MD, SkillEntry
from gateway.skill.uri import skill_uri

_TASK = {"name": "task", "description": "What is to be done with the skill.", "required": False}


def prompt_name(path: str) -> str:
    return ":".join(quote(segment, safe="") for segment in path.split("/"))


class SkillPrompts:
    """The prompts over one adapter."""

    def __init__(self, adapter: SkillsAdapter) -> None:
        self._adapter = adapter

    async def list(self, cursor: str | None, caller: Caller) -> JsonObject:
        """One page of prompts, without hints. Raises CursorRefused."""
        scope = CursorScope("prompts/list", (), caller.principal)
        page = self._adapter.pager.open(cursor, scope, caller)
        answer = await self._adapter.provider.list(page, caller)
        check_page(answer, page)
        self._adapter.check(answer.entries)
        following = self._adapter.pager.seal(answer.position, page, len(answer.entries), scope, caller)
        return {"prompts": [_told(entry) for entry in answer.entries]} | following

    async def get(self, params: GetPromptRequestParams, caller: Caller) -> JsonObject:
        """The instructions of a skill as a message, and one that says what to do with them. Raises NotServed."""
        segments = tuple(unquote(segment) for segment in params.name.split(":"))
        entry = await self._adapter.entry_at(segments, caller)
        if entry is None or prompt_name(entry.path) != params.name:
            raise NotServed(f"No prompt is called {params.name[:200]!r} here")
        uri = skill_uri(entry.path, SKILL_MD)
        contents = (await self._adapter.read_resource(uri, caller, is_modern=False))["contents"][0]
        if (trace := current_trace()) is not None:
            trace.uri = uri
        said = (params.arguments or {}).get("task", "").strip()
        text = f"Follow the instructions of the skill {entry.path}, whose files are resources below the same URI."
        messages = [{"type": "resource", "resource": contents}, {"type": "text", "text": f"{text}\n\n{said}".strip()}]
        return {
            "description": entry.description,
            "messages": [{"role": "user", "content": content} for content in messages],
        }


def _told(entry: SkillEntry) -> JsonObject:
    return {
        "name": prompt_name(entry.path),
        "title": entry.name,
        "description": entry.description,
        "arguments": [dict(_TASK)],
    }
