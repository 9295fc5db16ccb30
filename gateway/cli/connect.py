"""What to paste into a host to connect it to an endpoint. Source: the hosts' own manuals."""

import json
from urllib.parse import quote


def connect_lines(url: str) -> str:
    """Several lines of text: the endpoint, and how each host is told of it."""
    vs_code = json.dumps({"servers": {"skills": {"type": "http", "url": url}}})
    inspector = f"http://localhost:6274/?transport=streamable-http&serverUrl={quote(url, safe='')}"
    return "\n".join(
        [
            f"Skills are served at {url}",
            "",
            "Claude Code:     claude mcp add --transport http skills " + url,
            f"VS Code:         put into .vscode/mcp.json: {vs_code}",
            f"MCP Inspector:   npx @modelcontextprotocol/inspector, then open {inspector}",
            "",
            "Ctrl-C stops everything.",
        ]
    )
