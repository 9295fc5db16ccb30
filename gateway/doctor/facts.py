"""What was observed, as plain values: the rules read these and nothing else. A port for what only S3 knows.

A question that failed is a `Failure` in the place of its answer; one that was not asked is None.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from gateway.skill.model import Problem

Step = Literal["dns", "tcp", "tls", "silent", "not_http", "tls_wanted", "answered"]
"""How far a request to the endpoint came: what failed, or that there was an answer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A question without an answer: the `reason` of the error, and its text."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class EndpointSeen:
    """What an unsigned `GET /` met. `date` is the store's clock, `asked_at` ours at that moment."""

    url: str
    step: Step
    detail: str = ""
    status: int = 0
    server: str = ""
    is_s3: bool = False
    date: datetime | None = None
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CredentialsSeen:
    """Where credentials came from, never what they are; `expires_at` None when they do not expire."""

    source: str
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListingSeen:
    """What three kinds of listing under the prefix gave.

    `misordered` are two neighbours that are not in the byte order of UTF-8. `small_page` is what a page
    of two held, None when there were too few keys to ask; `lost` are keys or directories that one listing had and
    another had not; `repeated` came twice.
    """

    keys: int
    has_more: bool
    misordered: tuple[str, str] | None = None
    small_page: int | None = None
    lost: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectsSeen:
    """Some objects looked at and one read: how many, and how many have a SHA-256 of the store's own."""

    looked_at: int
    with_sha256: int


@dataclass(frozen=True, slots=True)
class WritesSeen:
    """What became of scratch objects. `conditions` is a Failure when the store ignores them."""

    keeps_sha256: bool
    in_byte_order: bool
    conditions: Failure | None


@dataclass(frozen=True, slots=True)
class StoreSeen:
    """Everything that was asked of the bucket."""

    listing: ListingSeen | Failure
    credentials: CredentialsSeen | Failure | None = None
    region: str | Failure | None = None
    versioning: str | Failure | None = None
    objects: ObjectsSeen | Failure | None = None
    writes: WritesSeen | Failure | None = None


@dataclass(frozen=True, slots=True)
class ChannelSeen:
    """One channel. `fault` says what is wrong with its release; `signer` is the id of a trusted key."""

    name: str
    release: str = ""
    moved_at: datetime | None = None
    skills: int = 0
    shards: int = 0
    fault: Failure | None = None
    signer: str = ""
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ContentsSeen:
    """What lies under the prefix. `is_cut`: there is more than was looked at."""

    kind: Literal["tree", "releases"]
    place: str
    served: int = 0
    refused: tuple[Problem, ...] = ()
    is_cut: bool = False
    channels: tuple[ChannelSeen, ...] = ()
    wanted_channel: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings that the rules look at."""

    cursor_keys: int = 0
    auth: str = ""
    is_public: bool = False
    freshness_s: float = 5
    page_size: int = 50
    public_name: str = ""
    allowed_hosts: tuple[str, ...] = ()
    endpoint_url: str | None = None
    is_local_store: bool = False


class Examination(Protocol):
    """Questions to a bucket that no other room asks. Each raises StoreError."""

    async def credentials(self) -> CredentialsSeen: ...

    async def region(self) -> str:
        """Of the bucket; empty when the store does not say."""
        ...

    async def versioning(self) -> str:
        """`Enabled`, `Suspended`, or empty when it never was on."""
        ...
