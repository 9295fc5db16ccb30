"""FastMCP over a folder of skills, with its cheapest transport: stateless, plain JSON.

python -m benchmarks.peers.fastmcp_server PORT FOLDER PAGE_SIZE
"""

import sys

from fastmcp import FastMCP
from fastmcp.skills.provider import SkillsDirectoryProvider


def main() -> None:
    port, folder, page_size = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    server: FastMCP[None] = FastMCP("fastmcp-peer", list_page_size=page_size)
    server.add_provider(SkillsDirectoryProvider(folder))
    server.run(
        transport="http",
        host="127.0.0.1",
        port=port,
        path="/mcp",
        show_banner=False,
        json_response=True,
        stateless_http=True,
        log_level="warning",
        uvicorn_config={"access_log": False},
    )


if __name__ == "__main__":
    main()
