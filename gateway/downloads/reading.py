"""The bytes of a package: its files one after the other, each looked at before any of it is handed on.

The next few are asked for meanwhile, as a store takes its time for each. What is held is bounded: the file that is
handed on, and `AHEAD_BYTES` of those to come.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from zlib import crc32

from gateway.downloads.package import Package
from gateway.errors import BinaryRefused, ContentChanged
from gateway.protocol.checks import check_content, is_as_published
from gateway.provider import Content
from gateway.skill.media import is_textual
from gateway.skill.model import SKILL_MD, SkillFile

AHEAD_BYTES = 1024 * 1024
AHEAD_FILES = 8
PIECE_BYTES = 64 * 1024

Read = Callable[[SkillFile], Awaitable[Content]]


async def pieces_of(package: Package, read: Read) -> AsyncGenerator[bytes]:
    """The archive in pieces of at most PIECE_BYTES.

    Raises what `read` raises, ContentChanged and BinaryRefused; what came before is then no archive.
    """
    crcs: list[int] = []
    async with aclosing(contents_of(package.files, read)) as contents:
        async for data in contents:
            crcs.append(crc32(data))
            yield package.archive.head(len(crcs) - 1, crcs[-1])
            for piece in _cut(data):
                yield piece
            del data  # or it would be held while the next one is waited for
    for piece in _cut(package.archive.tail(crcs)):
        yield piece


async def contents_of(files: Iterable[SkillFile], read: Read) -> AsyncGenerator[bytes]:
    """Whole files in order. Nobody reads on when the generator is closed."""
    coming, waiting = deque(files), deque[tuple[int, asyncio.Task[bytes]]]()
    ahead_bytes = 0
    try:
        while coming or waiting:
            while (
                coming and len(waiting) < AHEAD_FILES and (not waiting or ahead_bytes + coming[0].size <= AHEAD_BYTES)
            ):
                file = coming.popleft()
                waiting.append((file.size, asyncio.create_task(checked(file, read))))
                ahead_bytes += file.size
            size, task = waiting[0]
            data = await task
            waiting.popleft()
            ahead_bytes -= size
            del task
            yield data
            del data
    finally:
        for _, task in waiting:
            task.cancel()
        await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)


async def checked(file: SkillFile, read: Read) -> bytes:
    """The bytes of one file. Raises ContentChanged for others than the manifest has, BinaryRefused as over MCP."""
    content = await read(file)
    check_content(content)
    if not is_as_published(content, file):
        raise ContentChanged(f"{file.path!r}: its bytes are not the ones of the manifest")
    is_head = file.path.rpartition("/")[2] == SKILL_MD
    if (is_head or not content.allow_binary) and not _is_text(content):
        raise BinaryRefused(f"{file.path!r} is not text ({content.media_type}); this server sends text only")
    return content.data


def _is_text(content: Content) -> bool:
    try:
        content.data.decode()
    except UnicodeDecodeError:
        return False
    return is_textual(content.media_type)


def _cut(data: bytes) -> Iterable[bytes]:
    return (data[start : start + PIECE_BYTES] for start in range(0, len(data), PIECE_BYTES))
