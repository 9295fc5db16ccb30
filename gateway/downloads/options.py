"""What downloads are served with."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DownloadOptions:
    """`timeout_s` is how long one read of a file, one wait for a client, or the making of an index may take."""

    max_file_bytes: int
    timeout_s: float = 60.0
    freshness_s: float = 5.0
    cache_scope: str = "private"
    cache_ttl_s: int = 0

    @property
    def cache_control(self) -> str:
        return f"{self.cache_scope}, " + (f"max-age={self.cache_ttl_s}" if self.cache_ttl_s else "no-cache")


@dataclass(frozen=True, slots=True)
class Place:
    """Where downloads stand: the path in front of theirs, and the variant they are of, None for the caller's own."""

    prefix: str = ""
    variant: str | None = None
