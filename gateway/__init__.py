"""Agent Skills over MCP (SEP-2640): a gateway over an object store, and a library for servers of your own.

The names below are the library. They are loaded when they are first used, so that a command that
needs none of them does not wait for the MCP SDK; none of them loads an S3 client.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.catalog.catalog import CatalogRefused, ReloadResult, SkillCatalog
    from gateway.catalog.dynamic import DynamicSkill
    from gateway.catalog.files import FolderFiles, FoundFile, MemoryFiles, SkillFiles, StoreFiles
    from gateway.catalog.skills import Skills
    from gateway.catalog.static import RegistrationRefused, StaticSkill, TypedBytes
    from gateway.errors import NotADirectory, NotServed
    from gateway.protocol.attach import AttachRefused
    from gateway.protocol.options import AdapterOptions
    from gateway.provider import (
        Caller,
        Child,
        Content,
        DirectoryPage,
        DirectoryProvider,
        EntryPage,
        Page,
        SkillProvider,
    )
    from gateway.skill.assembly import Limits
    from gateway.skill.model import Digest, Problem, SkillEntry, SkillFile, SkillPath
    from gateway.web.library import http_app

__version__ = "0.1.0"

_ROOMS = {
    "gateway.catalog.catalog": ("CatalogRefused", "ReloadResult", "SkillCatalog"),
    "gateway.catalog.dynamic": ("DynamicSkill",),
    "gateway.catalog.files": ("FolderFiles", "FoundFile", "MemoryFiles", "SkillFiles", "StoreFiles"),
    "gateway.catalog.skills": ("Skills",),
    "gateway.catalog.static": ("RegistrationRefused", "StaticSkill", "TypedBytes"),
    "gateway.errors": ("NotADirectory", "NotServed"),
    "gateway.protocol.attach": ("AttachRefused",),
    "gateway.protocol.options": ("AdapterOptions",),
    "gateway.provider": (
        "Caller",
        "Child",
        "Content",
        "DirectoryPage",
        "DirectoryProvider",
        "EntryPage",
        "Page",
        "SkillProvider",
    ),
    "gateway.skill.assembly": ("Limits",),
    "gateway.web.library": ("http_app",),
    "gateway.skill.model": ("Digest", "Problem", "SkillEntry", "SkillFile", "SkillPath"),
}
_HOMES = {name: module for module, names in _ROOMS.items() for name in names}

__all__ = [
    "AdapterOptions",
    "AttachRefused",
    "Caller",
    "CatalogRefused",
    "Child",
    "Content",
    "Digest",
    "DirectoryPage",
    "DirectoryProvider",
    "DynamicSkill",
    "EntryPage",
    "FolderFiles",
    "FoundFile",
    "Limits",
    "MemoryFiles",
    "NotADirectory",
    "NotServed",
    "Page",
    "Problem",
    "RegistrationRefused",
    "ReloadResult",
    "SkillCatalog",
    "SkillEntry",
    "SkillFile",
    "SkillFiles",
    "SkillPath",
    "SkillProvider",
    "Skills",
    "StaticSkill",
    "StoreFiles",
    "TypedBytes",
    "__version__",
    "http_app",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'gateway' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
