"""What a reload of a large folder costs when nothing changed, and what a catalogue holds in memory.

Run: python benchmarks/catalog_reload.py [SKILLS] [FILES]      2,000 skills with 10 files each unless told otherwise

CPU is the process's own (all threads), so a busy machine changes it little. The ratio says how many
times cheaper a reload is than the first load, in the same run.
"""

import asyncio
import sys
import tempfile
import tracemalloc
from pathlib import Path
from time import process_time

from gateway import FolderFiles, SkillCatalog

FILE_BYTES = 2_000
ROUNDS = 5


def fill(root: Path, skills: int, files: int) -> None:
    body = b"x" * FILE_BYTES
    for number in range(skills):
        folder = root / f"skill-{number:05}"
        folder.mkdir()
        (folder / "SKILL.md").write_text(f"---\nname: {folder.name}\ndescription: Skill {number}.\n---\n", "utf-8")
        for index in range(files - 1):
            (folder / f"file-{index}.md").write_bytes(body)


async def measure(root: Path, skills: int, files: int) -> None:
    started = process_time()
    catalog = await SkillCatalog.load(FolderFiles(root))
    load_s = process_time() - started
    reloads: list[float] = []
    for _ in range(ROUNDS):
        started = process_time()
        await catalog.reload()
        reloads.append(process_time() - started)
    reload_s = sorted(reloads)[ROUNDS // 2]
    tracemalloc.start()
    again = await SkillCatalog.load(FolderFiles(root))
    held_bytes, _ = tracemalloc.get_traced_memory()
    contents_bytes = skills * (files - 1) * FILE_BYTES
    print(f"{len(again.entries)} skills, {skills * files} files")
    print(f"load    {load_s:.2f} s of CPU")
    print(f"reload  {reload_s:.2f} s of CPU (median of {ROUNDS}), {load_s / reload_s:.1f} times cheaper than the load")
    print(f"memory  {held_bytes / 1e6:.1f} MB held, {contents_bytes / 1e6:.1f} MB of contents")


def main() -> None:
    skills = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), skills, files)
        asyncio.run(measure(Path(folder), skills, files))


if __name__ == "__main__":
    main()
