"""Trees of skills as plans to publish, made by the very code that a publish uses."""

from collections.abc import Mapping

from gateway.local.memory import MemoryStore
from gateway.provider import Caller
from gateway.releases.publish import Plan
from gateway.releases.shards import make_release
from gateway.skill.model import SkillPath
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider
from tests.tree.trees import skill_md

Files = Mapping[str, bytes]

AT = "2026-12-01T10:00:00Z"


def files_of(count: int, **changes: bytes) -> dict[str, bytes]:
    """So many skills of two files each: `team/skill-0007/SKILL.md` and `notes.md`; `changes` by file name."""
    names = [f"skill-{number:04}" for number in range(count)]
    heads = {f"team/{name}/SKILL.md": skill_md(name) for name in names}
    return heads | {f"team/{name}/notes.md": changes.get(name.replace("-", "_"), name.encode()) for name in names}


async def plan_of(files: Files, *, prefix: str = "") -> Plan:
    store = MemoryStore({f"{prefix}{key}": data for key, data in files.items()})
    provider = TreeProvider(store, TreeOptions(prefix=prefix, allow_binary=True))
    entries = [entry async for entry in provider.survey()]

    async def read(path: SkillPath, file_path: str) -> bytes:
        return (await provider.read(path, file_path, Caller())).data

    return Plan(make_release(entries, allow_binary=True), read)
