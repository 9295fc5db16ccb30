"""What a page of a large release costs in calls and memory.

Run: python -m benchmarks.release_paging [SKILLS]     100,000 skills of two files unless told otherwise

A release of 100 skills and one of so many are written into folders; each is listed whole, page by page, in a process
of its own. Calls are counted at the port, memory is resident memory of that process.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.processes import memory_bytes
from gateway.local.folder import FolderStore
from gateway.provider import Caller, Page
from gateway.releases.documents import Move, Pointer, dump_pointer
from gateway.releases.follower import Follower
from gateway.releases.layout import Layout
from gateway.releases.opened import Indexes
from gateway.releases.options import ReleaseOptions
from gateway.releases.provider import ReleaseProvider
from gateway.releases.repository import Repository
from gateway.releases.shards import make_release
from gateway.skill.model import SKILL_MD, SkillEntry, SkillFile, SkillPath, digest_of

PAGE = 50
FEW = 100


def entry(number: int) -> SkillEntry:
    name = f"skill-{number:06}"
    files = tuple(
        SkillFile(path, 2_000, digest_of(f"{name}/{path}".encode()), "text/markdown") for path in (SKILL_MD, "guide.md")
    )
    words = {"name": name, "description": f"Does the {number}th of all things that a team may want. " * 3}
    return SkillEntry(SkillPath(f"team-{number % 97:02}/{name}"), words, files)


def write(root: Path, skills: int) -> None:
    release, layout = make_release(map(entry, range(skills)), allow_binary=False), Layout("")
    move = Move(release.id, release.digest, "2026-12-01T00:00:00Z", "publish")
    objects = {layout.shard(shard.digest): shard.data for shard in release.shards}
    objects |= {layout.index(release.id): release.data, layout.channel("stable"): dump_pointer(Pointer((move,)))}
    for key, data in objects.items():
        file = root / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    largest = max(len(shard.data) for shard in release.shards)
    print(
        f"{skills:,} skills: {len(release.shards)} shards, the largest {largest:,} bytes, index {len(release.data):,}"
    )


class Counted:
    """A store whose calls are counted by name."""

    def __init__(self, store: FolderStore) -> None:
        self._store = store
        self.calls = Counter[str]()

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self._store, name)


async def list_all(root: Path) -> None:
    store: Any = Counted(FolderStore(root))
    follower = Follower(Indexes(Repository(store, "")), "stable")
    await follower.look()
    provider = ReleaseProvider(follower, ReleaseOptions())
    costs = Counter[int]()
    skills, position, offset = 0, None, 0
    while True:
        store.calls.clear()
        page = await provider.list(Page(PAGE, offset, position), Caller())
        costs[store.calls.total()] += 1
        skills += len(page.entries)
        position, offset = page.position, skills
        if position is None:
            break
    store.calls.clear()
    await provider.list(Page(PAGE), Caller())
    again = store.calls.total()
    await provider.list(Page(PAGE), Caller())
    warm = store.calls.total() - again
    pages = ", ".join(f"{count} with {calls}" for calls, count in sorted(costs.items()))
    print(f"  {skills:,} listed; pages by GETs: {pages}; the first page again: {again}, and again: {warm}")


def main() -> None:
    if sys.argv[1:2] == ["--list"]:
        asyncio.run(list_all(Path(sys.argv[2])))
        resident, peak = memory_bytes(os.getpid())
        print(f"  resident {resident / 2**20:.1f} MiB, peak {peak / 2**20:.1f} MiB")
        return
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for skills in (FEW, many):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), skills)
            subprocess.run([sys.executable, "-m", "benchmarks.release_paging", "--list", folder], check=True)  # noqa: S603


if __name__ == "__main__":
    main()
