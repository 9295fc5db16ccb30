"""A skill whose files are made when they are read, on the SDK's low-level server.

Run: python examples/library/generated_skill.py [PORT]      then connect to http://127.0.0.1:8000/mcp
"""

import sys
from datetime import UTC, datetime, timedelta

import uvicorn
from mcp.server import Server

from gateway import Child, DirectoryPage, DynamicSkill, NotADirectory, NotServed, Page, Skills, http_app

SKILL_MD = """\
---
name: on-call
description: Tell who is on call and what to hand over. Use it when somebody asks for the current on-call engineer.
---

# On call

Read `days/<date>.md` for the day in question (dates are UTC, like 2026-03-01.md); `days` lists the coming week.
"""

ROTA = ("Ada", "Grace", "Barbara")
ROOT = "skill://on-call/days"


def coming_days() -> list[str]:
    today = datetime.now(UTC).date()
    return [str(today + timedelta(days=number)) for number in range(7)]


async def read_resource(uri: str) -> str:
    day = uri.removeprefix(f"{ROOT}/").removesuffix(".md")
    if uri != f"{ROOT}/{day}.md" or day not in coming_days():
        raise NotServed(f"No file with this URI is served here: {uri}")
    engineer = ROTA[datetime.fromisoformat(day).toordinal() % len(ROTA)]
    return f"# {day}\n\nOn call: {engineer}\n"


async def read_directory(uri: str, page: Page) -> DirectoryPage:
    if uri == "skill://on-call":
        return DirectoryPage(())  # SKILL.md and `days` are added by the adapter
    if uri != ROOT:
        raise NotADirectory(f"No directory with this URI is served here: {uri}")
    first = int(page.position or 0)
    names = [f"{day}.md" for day in coming_days()]
    children = tuple(Child(name, False, media_type="text/markdown") for name in names[first : first + page.limit])
    following = first + len(children)
    return DirectoryPage(children, str(following) if following < len(names) else None)


server: Server[object] = Server("on-call-helper", version="1")
skills = Skills(
    [
        DynamicSkill(
            "on-call",
            SKILL_MD,
            directories=["days"],
            read_resource=read_resource,
            read_directory=read_directory,
        )
    ]
)
skills.attach(server)

if __name__ == "__main__":
    uvicorn.run(http_app(server), port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000, log_level="warning")
