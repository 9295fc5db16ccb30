"""What a tree source is told: where it lies, what it may serve, and the bounds of one request."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """`prefix` is empty or ends in `/`; `mount` are the decoded segments in front of every skill path."""

    prefix: str = ""
    mount: tuple[str, ...] = ()
    allow_binary: bool = False
    max_file_bytes: int = 16 * 1024 * 1024
    """Largest file one read sends."""
    max_hash_bytes: int = 64 * 1024 * 1024
    """Largest file that is read to learn its digest when the store holds none."""
    max_skill_keys: int = 10_000
    """Keys under one outermost skill; more make it too large to serve."""
    list_keys: int = 1000
    """Keys asked for in one listing page, S3's most."""
    max_list_pages: int = 20
    """Listing pages one request reads before it answers with a short page."""
    freshness_s: float = 5.0
    """How long an entry may be reused without asking the store again; 0 asks every time."""
    head_bytes: int = 16 * 1024
    """First range of `SKILL.md`; one larger range follows when the frontmatter does not end in it."""
    probe_bytes: int = 4 * 1024
    """Bytes at each end of a supporting file that tell text from binary."""
    stale_if_error_s: float = 300.0
    """How long past its freshness an answer may still be given when the store fails or is too slow."""
    patience_s: float = 2.0
    """How long one waits for the store who has an old answer that may be given instead."""
    small_file_bytes: int = 64 * 1024
    """A file up to this size is read whole when the store keeps no checksums: one call, where two would be needed."""
    entry_cache_bytes: int = 6 * 1024 * 1024
    """Bound on what is remembered of listings, heads and digests, in bytes of memory, roughly."""
    content_cache_bytes: int = 6 * 1024 * 1024
    """Bound on the contents of files that are remembered, in bytes."""
