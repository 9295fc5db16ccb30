"""Port: who answers questions about skills.

The protocol side owns every rule of the wire; a provider only says what is there. It is asked with
decoded paths, never with URIs, and returns values of `gateway.skill.model`. What it returns is
checked again before it is sent. Source: SEP-2640 (listing, getting, reading, directories).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gateway.skill.model import SkillEntry, SkillPath

DEFAULT_VARIANT = "default"
"""How the variant without a name is called where it needs one."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. Anonymous callers have empty texts; `variant` is the named view they look at.

    `grants`: the numbers of the rules of a policy that let this caller in; none without a policy.
    """

    issuer: str = ""
    client: str = ""
    subject: str = ""
    variant: str = ""
    grants: frozenset[int] = frozenset()

    @property
    def principal(self) -> tuple[str, str, str]:
        return (self.issuer, self.client, self.subject)


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where answers come from: a published release, the labels it was published with, and the id of the key that
    signed it, when that was verified. One object for as long as none of it changes.
    """

    release: str
    labels: Mapping[str, str]
    signer: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What one page is asked for.

    `limit` items at the most; `offset` items were already served; `position` is what the provider
    returned with the page before, None on the first. `within`: of a listing only skills that lie at or below
    one of these paths are wanted, of which none lies below another; without one all are. A provider may
    answer with others too.
    """

    limit: int
    offset: int = 0
    position: str | None = None
    within: tuple[str, ...] = ()

    def wanted_below(self, mount: str) -> tuple[str, ...]:
        """Where below a mount the wanted skills lie: paths below it, or one empty text for all of it."""
        if not self.within or any(lies_within(mount, root) for root in self.within):
            return ("",)
        return tuple(root[len(mount) + 1 if mount else 0 :] for root in self.within if lies_within(root, mount))


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Entries in a stable order and the next position; None after the last. May be short, or empty."""

    entries: tuple[SkillEntry, ...]
    position: str | None = None


@dataclass(frozen=True, slots=True)
class Child:
    """A direct child of a directory: its name (one decoded segment), and for a file size and media type."""

    name: str
    is_directory: bool
    size: int | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class DirectoryPage:
    """Direct children and the next position; None after the last."""

    children: tuple[Child, ...]
    position: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """A whole file: its raw bytes, and the media type to send them with.

    `allow_binary` says that its source admits binary files; bytes that are no text are refused without it.
    """

    data: bytes
    media_type: str
    allow_binary: bool = False


def lies_within(path: str, root: str) -> bool:
    """Whether a path is another one or lies below it; everything lies below the empty one."""
    return not root or path == root or path.startswith(root + "/")


@runtime_checkable
class SkillProvider(Protocol):
    """Answers for one namespace of skills.

    `namespaces`: every path it serves is one of these or lies below one; an empty text is everything.
    `serves_dynamic`: some entries may be dynamic, and then the provider must be a DirectoryProvider when
    directory reads are on.
    Any call may raise ServerFault (storage is down, say); nothing else is expected.
    """

    @property
    def namespaces(self) -> tuple[str, ...]: ...

    @property
    def serves_dynamic(self) -> bool: ...

    async def list(self, page: Page, caller: Caller) -> EntryPage:
        """The next entries, each skill once over all pages, whatever the page sizes."""
        ...

    async def get(self, path: SkillPath, caller: Caller) -> SkillEntry | None:
        """The entry of one skill, listed or not; None when no such skill is served."""
        ...

    async def read(self, path: SkillPath, file_path: str, caller: Caller) -> Content:
        """One file of a skill that is served.

        Called only after `get(path)` gave an entry, and for a static one only with a path of its
        manifest. Raises NotServed when there is no such file (dynamic skills), ContentTooLarge.
        """
        ...


@runtime_checkable
class DirectoryProvider(SkillProvider, Protocol):
    """A provider that can list directories of its dynamic skills."""

    async def read_directory(self, path: SkillPath, directory_path: str, page: Page, caller: Caller) -> DirectoryPage:
        """Direct children of a directory of a dynamic skill; `directory_path` is empty for its root.

        Each child once over all pages. Raises NotADirectory when there is no such directory.
        """
        ...


@runtime_checkable
class WarmProvider(SkillProvider, Protocol):
    """A provider that can say, without asking anybody, what it would answer right now.

    Each method returns what its namesake would return without a call to whatever stands behind the
    provider, or None when that one would have to ask, or would refuse: then the namesake must be called.
    None is never "no such skill". The values are the very objects that the namesake returned before, for
    as long as nothing changed, so that what was computed from them can be kept by identity.
    """

    def warm_list(self, page: Page, caller: Caller) -> EntryPage | None: ...

    def warm_get(self, path: SkillPath, caller: Caller) -> SkillEntry | None: ...

    def warm_read(self, path: SkillPath, file_path: str, caller: Caller) -> Content | None: ...
