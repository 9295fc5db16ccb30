"""A skill as one archive: which files in which order under which names, and what that is known by."""

import asyncio
from dataclasses import dataclass
from hashlib import sha256

from gateway.downloads.archive import Archive, Member
from gateway.downloads.naming import names_fault
from gateway.errors import RequestError
from gateway.skill.model import SKILL_MD, SkillEntry, SkillFile, SkillPath

_FORM = b"zip 1"
"""Changes when the same files would give other bytes."""
_MANY_FILES = 256
"""Ten thousand take a quarter of a second."""


class NotPackable(RequestError):
    """A skill that no archive can hold as it is; the text says why."""

    reason = "not_packable"


class NoManifest(RequestError):
    """A dynamic skill: nothing says which files it has, nor what is in them."""

    reason = "no_manifest"


@dataclass(frozen=True, slots=True)
class Package:
    """`files` in the order of the members of `archive`; `key` is the same for the same bytes, and for no others."""

    path: SkillPath
    files: tuple[SkillFile, ...]
    archive: Archive
    key: str


def package_of(entry: SkillEntry, folder: str, max_file_bytes: int) -> Package:
    """The package of a static skill, its names under `folder`, or at the root for an empty one.

    Files only: a folder without any is not there. `SKILL.md` comes first, so that who reads a stream has it first.
    Raises NoManifest, NotPackable.
    """
    if entry.files is None:
        raise NoManifest(
            "This skill has no manifest, so that no archive of it can be told whole; read its files over MCP"
        )
    files = tuple(sorted(entry.files, key=_place))
    head = f"{folder}/" if folder else ""
    names = [head + file.path for file in files]
    if fault := names_fault(names) or _size_fault(files, max_file_bytes):
        raise NotPackable(fault)
    archive = Archive(tuple(Member(name.encode(), file.size) for name, file in zip(names, files, strict=True)))
    return Package(entry.path, files, archive, _key(files, folder))


async def package_beside(entry: SkillEntry, folder: str, max_file_bytes: int) -> Package:
    """As `package_of`; that of many files in a thread, which lets the loop have its turn."""
    if entry.files is None or len(entry.files) <= _MANY_FILES:
        return package_of(entry, folder, max_file_bytes)
    return await asyncio.to_thread(package_of, entry, folder, max_file_bytes)


def _place(file: SkillFile) -> tuple[bool, bytes]:
    return (file.path != SKILL_MD, file.path.encode())


def _size_fault(files: tuple[SkillFile, ...], max_file_bytes: int) -> str | None:
    large = next((file for file in files if file.size > max_file_bytes), None)
    if large is None:
        return None
    return f"The file {large.path!r} has {large.size} bytes; at most {max_file_bytes} are sent of one file"


def _key(files: tuple[SkillFile, ...], folder: str) -> str:
    # No part can hold what ends it, so that two manifests never are the same text.
    text = sha256(_FORM + b"\0" + folder.encode() + b"\0")
    for file in files:
        text.update(f"{file.path}\0{file.size}\0{file.digest}\0".encode())
    return text.hexdigest()
