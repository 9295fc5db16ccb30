"""The measured requests as bytes, in both eras, and whether an answer is the right one.

Source: MCP 2026-07-28 (headers and `_meta` of a request) and 2025-11-25 (stateless); SEP-2640.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Era = Literal["modern", "legacy"]
Operation = Literal["skills/list", "skills/get", "resources/read"]
ERAS: tuple[Era, ...] = ("modern", "legacy")
OPERATIONS: tuple[Operation, ...] = ("skills/list", "skills/get", "resources/read")
REVISIONS: Mapping[Era, str] = {"modern": "2026-07-28", "legacy": "2025-11-25"}

_META = "io.modelcontextprotocol/"
_FIRST_ID = 1000
_IDS = 64
"""Requests differ in their id, so that no peer can answer by the bytes of the request alone."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked of one peer in one cell."""

    era: Era
    operation: Operation
    params: Mapping[str, str]
    port: int
    path: str = "/mcp"
    token: str = ""


def requests_of(target: Target) -> tuple[bytes, ...]:
    """HTTP/1.1 requests that keep the connection open, one for each id."""
    return tuple(request_bytes(target, number) for number in range(_FIRST_ID, _FIRST_ID + _IDS))


def request_bytes(target: Target, number: int) -> bytes:
    """One request, whole."""
    body = json.dumps(
        {"jsonrpc": "2.0", "id": number, "method": target.operation, "params": _params(target)}, separators=(",", ":")
    ).encode()
    headers = {
        "Host": f"127.0.0.1:{target.port}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        "MCP-Protocol-Version": REVISIONS[target.era],
    }
    if target.token:
        headers["Authorization"] = f"Bearer {target.token}"
    if target.era == "modern":
        headers["Mcp-Method"] = target.operation
        if target.operation == "resources/read":
            headers["Mcp-Name"] = target.params["uri"]
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST {target.path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def _params(target: Target) -> dict[str, Any]:
    if target.era == "legacy":
        return dict(target.params)
    meta = {
        "protocolVersion": REVISIONS["modern"],
        "clientInfo": {"name": "bench", "version": "1"},
        "clientCapabilities": {},
    }
    return {**target.params, "_meta": {_META + name: value for name, value in meta.items()}}


def result_of(status: int, body: bytes) -> dict[str, Any]:
    """The result of an answer. Raises ValueError that says what came instead."""
    if status != 200:
        raise ValueError(f"HTTP {status}: {body[:200].decode(errors='replace')}")
    # The TypeScript SDK answers the legacy era with a stream of one event.
    message = json.loads(body.partition(b"\ndata: ")[2] if body.startswith(b"event: ") else body)
    if "result" not in message:
        raise ValueError(f"no result: {json.dumps(message.get('error', message))[:200]}")
    return message["result"]


def check_result(operation: Operation, result: Mapping[str, Any], skills: Mapping[str, set[str]], text: str) -> None:
    """Raise ValueError unless a result has what every peer must answer.

    `skills`: the files that each listed skill's entry must have, by the URI of its `SKILL.md`; `skills/get`
    asks for the first. `text` is the file that is read.
    """
    if operation == "resources/read":
        found = [content.get("text") for content in result["contents"]]
        if found != [text]:
            raise ValueError("the file that was read is not the one that was put there")
        return
    entries = result["skills"] if operation == "skills/list" else [result["skill"]]
    wanted = skills if operation == "skills/list" else dict([next(iter(skills.items()))])
    seen = {entry["uri"]: {file["uri"] for file in entry["resources"]} for entry in entries}
    if seen != dict(wanted):
        raise ValueError(f"{len(seen)} skills that are not the {len(wanted)} expected ones")
