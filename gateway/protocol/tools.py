"""Tools for hosts that do not speak the extension: list the skills, load one, read a file of it.

They ask what the extension's methods ask, so that policy, digests and the audit hold for them too. What a model
did wrong is a result that says so and what to do; what is our fault is an error with a fixed text.
Source: MCP 2026-07-28, Tools; SEP-1303 (input errors are results).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams

from gateway.audit.trace import current_trace, open_trace
from gateway.errors import CursorRefused, InvalidUri, RequestError
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.finding import find_skill
from gateway.protocol.survey import Question, survey
from gateway.protocol.wire import JsonObject
from gateway.provider import Caller
from gateway.skill.model import SKILL_MD, SkillEntry
from gateway.skill.uri import segment_fault, skill_uri

_ENOUGH = 50
_MAX_QUERY = 200
_READ_ONLY = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_SKILL = {"type": "string", "description": "Path, name or skill:// URI of a skill, as list_skills gives it."}
_FOUND: JsonObject = {
    "type": "object",
    "properties": {
        "skills": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("path", "name", "description", "uri")},
                "required": ["path", "name", "description", "uri"],
            },
        },
        "nextCursor": {"type": "string"},
    },
    "required": ["skills"],
}


class ArgumentRefused(RequestError):
    """An argument of a tool that is missing, or not what it must be."""

    reason = "bad_argument"


@dataclass(frozen=True, slots=True)
class Tool:
    """What clients are told of a tool: each of `arguments` by its JSON schema, the first `needed` of them required."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, JsonObject]
    needed: int = 0
    output: JsonObject | None = None

    def as_json(self) -> JsonObject:
        schema: JsonObject = {"type": "object", "properties": dict(self.arguments), "additionalProperties": False}
        if self.needed:
            schema["required"] = [*self.arguments][: self.needed]
        told: JsonObject = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema,
            "annotations": {"title": self.title, **_READ_ONLY},
        }
        return told if self.output is None else told | {"outputSchema": self.output}


LIST_SKILLS = Tool(
    "list_skills",
    "List skills",
    "Lists the Agent Skills of this server: folders of instructions that tell how to do a particular task well. Look "
    "here before a task that one may exist for; load_skill then gives its instructions.",
    {
        "query": {"type": "string", "description": "Words that must all be in name, description or path."},
        "folder": {"type": "string", "description": "Path of a folder, to list only what lies below it."},
        "cursor": {"type": "string", "description": "nextCursor of the answer before, to go on."},
    },
    output=_FOUND,
)
LOAD_SKILL = Tool(
    "load_skill",
    "Load a skill",
    "Gives the instructions of a skill (its SKILL.md) and names its other files, which read_skill_file reads when the "
    "instructions ask for them.",
    {"skill": _SKILL},
    needed=1,
)
READ_SKILL_FILE = Tool(
    "read_skill_file",
    "Read a file of a skill",
    "Gives one file of a skill, by the path that its instructions or load_skill name.",
    {"skill": _SKILL, "file": {"type": "string", "description": "Path of the file inside the skill."}},
    needed=2,
)
TOOLS = (LIST_SKILLS, LOAD_SKILL, READ_SKILL_FILE)

_Arguments = Mapping[str, str]


class SkillTools:
    """The tools over one adapter."""

    def __init__(self, adapter: SkillsAdapter) -> None:
        self._adapter = adapter
        self._calls: Mapping[str, tuple[Tool, Callable[[_Arguments, Caller], Awaitable[JsonObject]]]] = {
            LIST_SKILLS.name: (LIST_SKILLS, self._list),
            LOAD_SKILL.name: (LOAD_SKILL, self._load),
            READ_SKILL_FILE.name: (READ_SKILL_FILE, self._read),
        }

    async def call(self, params: CallToolRequestParams, caller: Caller) -> JsonObject:
        """A result, also for what the model did wrong. Raises MCPError for a tool that is not there; ServerFault."""
        if params.name not in self._calls:
            raise unknown_tool(params.name)
        tool, call = self._calls[params.name]
        open_trace(caller)
        try:
            return await call(_checked(tool, params.arguments or {}), caller)
        except CursorRefused as error:
            return _refused(error, "The cursor is no longer good; call list_skills again without one.")
        except RequestError as error:
            return _refused(error, str(error))

    async def _list(self, arguments: _Arguments, caller: Caller) -> JsonObject:
        query = arguments.get("query", "")
        if len(query) > _MAX_QUERY:
            raise ArgumentRefused(f"list_skills: 'query' has {len(query)} characters, at most {_MAX_QUERY} are taken")
        question = Question(query, arguments.get("folder", "").strip("/"))
        found = await survey(self._adapter, caller, question, arguments.get("cursor"), enough=_ENOUGH)
        if (trace := current_trace()) is not None:
            trace.items = len(found.entries)
        skills = [_told(entry) for entry in found.entries]
        lines = [f"- {skill['path']}: {skill['description']}" for skill in skills] or ["No skill was found."]
        structured: JsonObject = {"skills": skills}
        if found.cursor is not None:
            structured["nextCursor"] = found.cursor
            lines.append(f"{found.seen} skills were looked at, and there are more: go on with cursor {found.cursor}")
        return {"content": [_text("\n".join(lines))], "structuredContent": structured}

    async def _load(self, arguments: _Arguments, caller: Caller) -> JsonObject:
        entry = await find_skill(self._adapter, arguments["skill"], caller)
        content = await self._file(entry, SKILL_MD, caller)
        others = [file for file in entry.files or () if file.path != SKILL_MD]
        if others:
            lines = [f"- {file.path} ({file.size} bytes, {file.media_type})" for file in others]
            content.append(_text("\n".join([f"Other files of the skill {entry.path}, by read_skill_file:", *lines])))
        return {"content": content}

    async def _read(self, arguments: _Arguments, caller: Caller) -> JsonObject:
        entry = await find_skill(self._adapter, arguments["skill"], caller)
        return {"content": await self._file(entry, arguments["file"], caller)}

    async def _file(self, entry: SkillEntry, file_path: str, caller: Caller) -> list[JsonObject]:
        """A file as it is: text as text, all else as a resource in base64. Raises what reading a resource raises."""
        if fault := next(filter(None, map(segment_fault, file_path.split("/"))), None):
            raise InvalidUri(f"The file {file_path[:100]!r} {fault}")
        uri = skill_uri(entry.path, file_path)
        contents = (await self._adapter.read_resource(uri, caller, is_modern=False))["contents"][0]
        if (trace := current_trace()) is not None:
            trace.uri = uri
        text = contents.get("text")
        return [{"type": "resource", "resource": contents} if text is None else _text(text)]


def unknown_tool(name: str) -> MCPError:
    return MCPError(INVALID_PARAMS, f"Unknown tool: {name[:100]}")


def _checked(tool: Tool, given: Mapping[str, Any]) -> _Arguments:
    """Arguments as texts. Raises ArgumentRefused, which names the one that is wrong."""
    for number, name in enumerate(tool.arguments):
        if number < tool.needed and given.get(name) in (None, ""):
            raise ArgumentRefused(f"{tool.name} needs the argument {name!r}: {tool.arguments[name]['description']}")
    for name, value in given.items():
        if name not in tool.arguments:
            known = ", ".join(tool.arguments)
            raise ArgumentRefused(f"{tool.name} has no argument {name[:100]!r}; it takes: {known}")
        if value is not None and not isinstance(value, str):
            raise ArgumentRefused(f"{tool.name}: {name!r} must be a text")
    return {name: value for name, value in given.items() if value}


def _refused(error: RequestError, text: str) -> JsonObject:
    if (trace := current_trace()) is not None:
        trace.refusal = error.reason
    return {"content": [_text(text)], "isError": True}


def _told(entry: SkillEntry) -> dict[str, str]:
    uri = skill_uri(entry.path, SKILL_MD)
    return {"path": entry.path, "name": entry.name, "description": entry.description, "uri": uri}


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}
