"""Putting a folder of skills into a bucket, each file with its SHA-256 and a media type.

For trying things out: what is in the folder now, file by file, not at once. Hidden files and symbolic
links stay behind: the first are never served, the second may point out of the folder.
"""

import asyncio
import mimetypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.cli.terminal import CommandFailed, UsageRefused
from gateway.objects import ObjectKey, ObjectStore
from gateway.skill.model import SKILL_MD

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Upload:
    """One file and the key it gets."""

    file: Path
    key: ObjectKey
    size: int


def plan_upload(folder: Path) -> tuple[Upload, ...]:
    """What to put, in the order of keys. A folder that is a skill itself becomes the only one.

    Raises UsageRefused when there is no folder, CommandFailed when no skill is in it.
    """
    if not folder.is_dir():
        raise UsageRefused(f"{folder} is no folder; name one that has skills (folders with a {SKILL_MD}) in it")
    root = folder.resolve()
    base = root.parent if (root / SKILL_MD).is_file() else root
    uploads = tuple(
        Upload(file, ObjectKey(file.relative_to(base).as_posix()), file.stat().st_size) for file in sorted(_files(root))
    )
    if not any(upload.file.name == SKILL_MD for upload in uploads):
        raise CommandFailed(f"{folder} has no {SKILL_MD} in it or below; name a folder with skills")
    return uploads


def _files(folder: Path) -> Iterator[Path]:
    for child in folder.iterdir():
        if child.name.startswith(".") or child.is_symlink() or not _is_utf8(child.name):
            continue
        if child.is_dir():
            yield from _files(child)
        elif child.is_file():
            yield child


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


async def upload(uploads: Sequence[Upload], store: ObjectStore, done: Callable[[Upload], object]) -> None:
    """Put every file, a few at once; `done` is called after each. Raises what the store raises."""
    waiting = iter(uploads)

    async def work() -> None:
        for one in waiting:
            data = await asyncio.to_thread(one.file.read_bytes)
            await store.put(one.key, data, media_type=mimetypes.guess_type(one.file.name)[0])
            done(one)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
