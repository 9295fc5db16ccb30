"""Providers for tests: inputs to the adapter, small enough to see what they say."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.applications import Starlette

from gateway.errors import NotServed
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectStore
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.options import AdapterOptions
from gateway.protocol.server import build_server
from gateway.provider import Caller, Child, Content, DirectoryPage, EntryPage, Page, SkillProvider
from gateway.skill.model import SKILL_MD, Json, SkillEntry, SkillFile, SkillPath, digest_of
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider
from gateway.web.app import Backend, View, WebOptions, create_web_app
from gateway.web.hosts import host_rules
from tests.protocol.host import Host, serving

KEY = b"k" * 32
TEXT = "text/markdown"
NO_ENTRIES, NO_CHILDREN = EntryPage(()), DirectoryPage(())


def skill_md(name: str, **fields: Json) -> bytes:
    """A `SKILL.md` whose frontmatter is in JSON, which is YAML too."""
    lines = "".join(f"{field}: {json.dumps(value)}\n" for field, value in fields.items())
    return f"---\nname: {name}\ndescription: Does {name}.\n{lines}---\n# {name}\n".encode()


def static_entry(path: str, files: Mapping[str, bytes] | None = None, **fields: Json) -> SkillEntry:
    """A valid static entry; `files` besides a `SKILL.md`."""
    name = path.rpartition("/")[2]
    frontmatter: dict[str, Json] = {"name": name, "description": f"Does {name}.", **fields}
    manifest = [SKILL_MD, *(files or {})]
    contents = {SKILL_MD: skill_md(name), **(files or {})}
    listed = tuple(SkillFile(one, len(contents[one]), digest_of(contents[one]), TEXT) for one in manifest)
    return SkillEntry(SkillPath(path), frontmatter, listed)


def dynamic_entry(path: str, **fields: Json) -> SkillEntry:
    static = static_entry(path, **fields)
    return SkillEntry(static.path, static.frontmatter, None)


@dataclass
class Answering:
    """Gives the same answers to every question; an exception is raised instead.

    `got` answers for its own path alone, unless `got_for_all`. `asked` are the questions so far.
    """

    listed: Any = NO_ENTRIES
    got: Any = None
    content: Any = field(default_factory=lambda: NotServed("no such file"))
    directory: Any = NO_CHILDREN
    got_for_all: bool = False
    allow_binary: bool = False
    serves_dynamic: bool = True
    namespaces: tuple[str, ...] = ("",)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        return self._answer("list", page, self.listed)

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        is_it = self.got_for_all or not isinstance(self.got, SkillEntry) or self.got.path == path
        return self._answer("get", path, self.got if is_it else None)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        answer = self._answer("read", (path, file_path), self.content)
        return replace(answer, allow_binary=self.allow_binary)

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        return self._answer("read_directory", (path, directory_path, page), self.directory)

    def _answer(self, question: str, about: Any, answer: Any) -> Any:
        self.asked.append((question, about))
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Silent(Answering):
    """Never answers."""

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        await asyncio.Event().wait()
        raise AssertionError


class Slow(Answering):
    """Answers that nothing is there, but takes a while, as a slow store does."""

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        self.asked.append(("get", path))
        await asyncio.sleep(0.05)
        return None


@dataclass
class Shelf:
    """Skills in memory, in the order of their paths; the position is the last path served.

    `unlisted` are answered for by `get` alone. Children of dynamic skills come page by page.
    """

    entries: tuple[SkillEntry, ...] = ()
    unlisted: tuple[SkillEntry, ...] = ()
    contents: Mapping[tuple[str, str], Content] = field(default_factory=dict)
    children: Mapping[tuple[str, str], tuple[Child, ...]] = field(default_factory=dict)
    allow_binary: bool = False
    serves_dynamic: bool = True
    namespaces: tuple[str, ...] = ("",)

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        rest = [entry for entry in self.entries if page.position is None or entry.path > page.position]
        served = tuple(rest[: page.limit])
        return EntryPage(served, served[-1].path if len(rest) > len(served) else None)

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        return next((entry for entry in (*self.entries, *self.unlisted) if entry.path == path), None)

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        if (path, file_path) not in self.contents:
            raise NotServed(f"{file_path!r} is not a file of {path!r}")
        return replace(self.contents[path, file_path], allow_binary=self.allow_binary)

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        start = int(page.position or 0)
        children = self.children[path, directory_path]
        served = children[start : start + page.limit]
        following = start + len(served)
        return DirectoryPage(served, str(following) if following < len(children) else None)


def adapter_of(provider: SkillProvider, **options: Any) -> SkillsAdapter:
    return SkillsAdapter(provider, AdapterOptions((KEY,), **{"directory_read": True, **options}))


def app_of(provider: SkillProvider, **options: Any) -> Starlette:
    """An app around a provider; `options` are those of the adapter."""
    server = build_server(adapter_of(provider, **options), name="test", version="1", instructions="Read on.")

    async def nothing() -> None: ...

    @asynccontextmanager
    async def open_backend() -> AsyncIterator[Backend]:
        yield Backend({"": View(server)}, nothing)

    return create_web_app(open_backend, WebOptions(host_rules(["127.0.0.1:*"], [])))


def host_of(provider: SkillProvider, **options: Any) -> AbstractAsyncContextManager[Host]:
    """A host that calls a server around `provider`."""
    return serving(app_of(provider, **options))


def tree_of(objects: Mapping[str, bytes] | ObjectStore, **options: Any) -> TreeProvider:
    """The real provider over objects in memory, asking anew every time."""
    store = MemoryStore(objects) if isinstance(objects, Mapping) else objects
    return TreeProvider(store, TreeOptions(**{"freshness_s": 0, **options}))
