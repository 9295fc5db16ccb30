"""Releases put into a store by hand, as a publish leaves them, and what a provider over them is asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.errors import StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectHead, ObjectKey, ObjectSlice, ObjectStore
from gateway.provider import Caller, EntryPage, Page
from gateway.releases.documents import Move
from gateway.releases.follower import Follower
from gateway.releases.opened import Indexes
from gateway.releases.options import ReleaseOptions
from gateway.releases.provider import ReleaseProvider
from gateway.releases.repository import Repository
from gateway.releases.shards import Release, make_release
from gateway.skill.media import is_textual, media_type_of
from gateway.skill.model import SkillEntry, SkillFile, SkillPath, digest_of
from tests.releases.plans import AT
from tests.tree.trees import skill_md

ANYONE = Caller()


@dataclass(frozen=True)
class Skill:
    """A skill to publish: its path, its description, its files besides `SKILL.md`, and the text of that."""

    path: str
    description: str = "Does it."
    files: Mapping[str, bytes] | None = None
    body: str = ""

    @property
    def contents(self) -> dict[str, bytes]:
        head = skill_md(self.path.rpartition("/")[2], self.body, self.description)
        return {"SKILL.md": head, **(self.files or {})}

    @property
    def entry(self) -> SkillEntry:
        files = tuple(
            SkillFile(name, len(data), digest_of(data), media_type_of(name, None, _is_text(data)))
            for name, data in self.contents.items()
        )
        frontmatter = {"name": self.path.rpartition("/")[2], "description": self.description}
        return SkillEntry(SkillPath(self.path), frontmatter, files)


class FailingStore(MemoryStore):
    """A store in memory that nobody reaches while it `is_down`."""

    is_down = False

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        if self.is_down:
            raise StoreUnavailable("down")
        return await super().get(key, max_bytes=max_bytes, if_match=if_match)

    async def head(self, key: ObjectKey) -> ObjectHead:
        if self.is_down:
            raise StoreUnavailable("down")
        return await super().head(key)


def many(count: int) -> list[Skill]:
    """So many skills of one file, in paths that do not sort by number."""
    return [Skill(f"team-{number % 7}/skill-{number}") for number in range(count)]


async def store_release(repository: Repository, skills: Iterable[Skill]) -> Release:
    """Put all objects of a release; no channel points at it."""
    skills, store, layout = list(skills), repository.store, repository.layout
    is_binary = any(not is_textual(file.media_type) for skill in skills for file in skill.entry.files or ())
    release = make_release((skill.entry for skill in skills), allow_binary=is_binary)
    for data in {data for skill in skills for data in skill.contents.values()}:
        await store.put(layout.blob(digest_of(data)), data)
    for shard in release.shards:
        await store.put(layout.shard(shard.digest), shard.data)
    await store.put(layout.index(release.id), release.data)
    return release


async def point(repository: Repository, release: Release, channel: str = "stable", message: str = "") -> None:
    """Move a channel to a release that is stored."""
    move = Move(release.id, release.digest, AT, "publish", message)
    await repository.move(channel, await repository.pointer(channel), move)


async def publish(
    repository: Repository, skills: Iterable[Skill], channel: str = "stable", message: str = ""
) -> Release:
    release = await store_release(repository, skills)
    await point(repository, release, channel, message)
    return release


def provider_over(store: ObjectStore, follower: Follower | None = None, **options: Any) -> ReleaseProvider:
    """A provider over the releases of a store; call `look` of its follower to have one served."""
    return ReleaseProvider(follower or follower_of(store), ReleaseOptions(**options))


def follower_of(store: ObjectStore, prefix: str = "", **options: Any) -> Follower:
    return Follower(Indexes(Repository(store, prefix)), "stable", **options)


async def pages_of(
    provider: ReleaseProvider, limit: int, position: str | None = None, within: tuple[str, ...] = ()
) -> list[EntryPage]:
    """All pages from a position on. Fails when a page is too long, or leads back to where it was asked for."""
    pages: list[EntryPage] = []
    while True:
        page = await provider.list(Page(limit, position=position, within=within), ANYONE)
        assert len(page.entries) <= limit
        assert page.position is None or page.position not in {position, *(before.position for before in pages)}
        pages.append(page)
        if (position := page.position) is None:
            return pages


async def listed(
    provider: ReleaseProvider, limit: int = 50, position: str | None = None, within: tuple[str, ...] = ()
) -> list[SkillEntry]:
    return [entry for page in await pages_of(provider, limit, position, within) for entry in page.entries]


async def read(provider: ReleaseProvider, path: str, file_path: str) -> bytes:
    return (await provider.read(SkillPath(path), file_path, ANYONE)).data


async def get(provider: ReleaseProvider, path: str) -> SkillEntry | None:
    return await provider.get(SkillPath(path), ANYONE)


def damage(store: Any, key: ObjectKey) -> None:
    """Other bytes under a key of a store in memory."""
    store.store(key, b"damaged")


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
