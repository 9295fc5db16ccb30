"""Where the objects of a releases prefix lie. Pure.

`blobs/` and `shards/` are named by the digest of their bytes and shared by all releases; `releases/<id>.json`
is the index of one, `releases/<id>.sig.json` its signatures; `channels/<name>.json` is the one kind of
object that is ever written again.
"""

import re

from gateway.objects import ObjectKey
from gateway.skill.model import Digest

RELEASE_ID = re.compile(r"[0-9a-f]{20}")
CHANNEL = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
MAX_CHANNEL_CHARACTERS = 64
_SHA256 = "sha256:"


def release_id_of(index: Digest) -> str:
    """The id of a release: the first 80 bits of the digest of its index, so equal releases have one id."""
    return index.removeprefix(_SHA256)[:20]


def is_channel(name: str) -> bool:
    """Whether a channel may be called so; one that looks like a release would be taken for it."""
    return len(name) <= MAX_CHANNEL_CHARACTERS and bool(CHANNEL.fullmatch(name)) and not RELEASE_ID.fullmatch(name)


class Layout:
    """Keys under one prefix, which is empty or ends in `/`."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.blobs, self.shards = f"{prefix}blobs/sha256/", f"{prefix}shards/sha256/"
        self.releases, self.channels = f"{prefix}releases/", f"{prefix}channels/"

    def blob(self, digest: Digest) -> ObjectKey:
        """Contents of a file."""
        return _by_digest(self.blobs, digest, "")

    def shard(self, digest: Digest) -> ObjectKey:
        """Entries of some skills."""
        return _by_digest(self.shards, digest, ".json")

    def index(self, release: str) -> ObjectKey:
        return ObjectKey(f"{self.releases}{release}.json")

    def signatures(self, release: str) -> ObjectKey:
        return ObjectKey(f"{self.releases}{release}.sig.json")

    def channel(self, name: str) -> ObjectKey:
        return ObjectKey(f"{self.channels}{name}.json")

    def scratch(self, name: str) -> ObjectKey:
        """For trying out what the store does; removed afterwards."""
        return ObjectKey(f"{self.prefix}scratch/{name}")


def _by_digest(folder: str, digest: Digest, suffix: str) -> ObjectKey:
    hexadecimal = digest.removeprefix(_SHA256)
    return ObjectKey(f"{folder}{hexadecimal[:2]}/{hexadecimal}{suffix}")
