"""How each host is told of an endpoint. Pure. Source: the hosts' own manuals."""

import json
from dataclasses import dataclass
from urllib.parse import quote

TOKEN = "YOUR_TOKEN"  # noqa: S105
"""Where a reader puts a token."""


@dataclass(frozen=True, slots=True)
class Host:
    """`what` to do with `text`, for people."""

    name: str
    what: str
    text: str


def hosts(url: str, *, needs_token: bool = False) -> tuple[Host, ...]:
    """The hosts that are known to connect to an endpoint like this."""
    headers = {"headers": {"Authorization": f"Bearer {TOKEN}"}} if needs_token else {}
    flag = f' --header "Authorization: Bearer {TOKEN}"' if needs_token else ""
    vs_code = {"servers": {"skills": {"type": "http", "url": url} | headers}}
    cursor = {"mcpServers": {"skills": {"url": url} | headers}}
    return (
        Host("Claude Code", "run", f"claude mcp add --transport http skills {url}{flag}"),
        Host("VS Code", "put into .vscode/mcp.json", json.dumps(vs_code, indent=2)),
        Host("Cursor", "put into .cursor/mcp.json", json.dumps(cursor, indent=2)),
        Host("MCP Inspector", "run, then open the address below", "npx @modelcontextprotocol/inspector"),
    )


def inspector_address(url: str) -> str:
    """The Inspector's own page, with an endpoint filled in."""
    return f"http://localhost:6274/?transport=streamable-http&serverUrl={quote(url, safe='')}"
