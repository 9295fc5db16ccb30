"""A folder of skills, scanned again when somebody asks for it, on the SDK's high-level server.

Run: python examples/library/folder_catalog.py [PORT] [FOLDER]      then connect to http://127.0.0.1:8000/mcp
"""

import asyncio
import sys
from pathlib import Path

from mcp.server import MCPServer

from gateway import FolderFiles, SkillCatalog

FOLDER = Path(__file__).parent.parent / "skills"


async def build(folder: Path) -> MCPServer:
    server = MCPServer("folder-of-skills")
    catalog = await SkillCatalog.load(FolderFiles(folder), allow_binary=True)
    catalog.attach(server)

    @server.tool()
    async def reload_skills() -> str:
        """Scan the folder again; clients hear of it when the list changed."""
        result = await catalog.reload()
        return f"{len(result.added)} added, {len(result.removed)} removed, {len(result.changed)} changed"

    return server


async def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    server = await build(Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER)
    await server.run_streamable_http_async(port=port, stateless_http=True, json_response=True)


if __name__ == "__main__":
    asyncio.run(main())
