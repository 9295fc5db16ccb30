"""What the adapter is told."""

from dataclasses import dataclass
from typing import Literal

CURRENT_VERSION = "current"
MAX_PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """Options of the provider adapter.

    `signing_keys` is the cursor ring: the first seals, all open. `version` names the text of SEP-2640
    that is spoken; there is one. Times are in the units of their names. `owner_ttl_s` is how long it is
    taken for granted which skill owns a place, when answers come from memory; `render_cache_bytes` bounds
    the JSON texts kept for them. `tells_variants`: a cursor of another variant is refused by the names of
    both (SEP-2053), and not as any other cursor.
    """

    signing_keys: tuple[bytes, ...]
    version: str = CURRENT_VERSION
    directory_read: bool = False
    page_size: int = 50
    cache_scope: Literal["private", "public"] = "private"
    ttl_ms: int = 0
    required_scopes: tuple[str, ...] = ("skills:read",)
    cursor_ttl_s: int = 3600
    request_timeout_s: float = 60.0
    owner_ttl_s: float = 5.0
    render_cache_bytes: int = 4 * 1024 * 1024
    tells_variants: bool = False

    def __post_init__(self) -> None:
        if self.version != CURRENT_VERSION:
            raise ValueError(f"version {self.version!r} is not spoken here; the only one is {CURRENT_VERSION!r}")
        if not 1 <= self.page_size <= MAX_PAGE_SIZE:
            raise ValueError(f"page_size is {self.page_size}, must be from 1 to {MAX_PAGE_SIZE}")
        for name in ("ttl_ms", "owner_ttl_s", "render_cache_bytes"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}, must not be negative")
