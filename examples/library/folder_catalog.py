"""A folder of skills, scanned again every few seconds, on a server of the MCP SDK.

Run: python examples/library/folder_catalog.py [PORT] [FOLDER]      then connect to http://127.0.0.1:8000/mcp
"""

import asyncio
import logging
import sys
from pathlib import Path

import uvicorn
from mcp.server import Server

from gateway import FolderFiles, SkillCatalog, http_app

FOLDER = Path(__file__).parent.parent / "skills"
EVERY_S = 5.0

logger = logging.getLogger("folder-of-skills")


async def keep_fresh(catalog: SkillCatalog) -> None:
    """Scan again and again; connected clients hear of it when the list changed."""
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            result = await catalog.reload()
        except OSError as error:
            logger.warning("the folder cannot be read, the skills of before stay: %s", error)
            continue
        if result.added or result.removed or result.changed:
            logger.warning("added %s, removed %s, changed %s", result.added, result.removed, result.changed)


async def main(port: int, folder: Path) -> None:
    server: Server[object] = Server("folder-of-skills", version="1")
    catalog = await SkillCatalog.load(FolderFiles(folder), allow_binary=True)
    catalog.attach(server)
    refresher = asyncio.create_task(keep_fresh(catalog))
    await uvicorn.Server(uvicorn.Config(http_app(server), port=port, log_level="warning")).serve()
    refresher.cancel()


if __name__ == "__main__":
    asyncio.run(
        main(
            int(sys.argv[1]) if len(sys.argv) > 1 else 8000,
            Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER,
        )
    )
