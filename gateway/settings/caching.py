"""Settings of cursors and caching."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, NoDecode

from gateway.settings.values import MIB, Key, Listed, SecondsOrNone, Whole


class Caching(BaseSettings):
    """How long answers are good for, here and at clients, and how much of them is kept."""

    cursor_keys: Annotated[tuple[Key, ...], NoDecode, Listed] = Field(
        default=(),
        description="Keys that seal cursors, the first one seals and all of them open; "
        "none: a random one at each start, for one worker only.",
    )
    cursor_ttl_s: Whole = Field(default=3600, ge=1, le=30 * 86_400, description="Seconds until a cursor expires.")
    cache_ttl_ms: Whole = Field(default=0, ge=0, description="Milliseconds a client may keep a result.")
    cache_scope: Literal["private", "public"] = Field(
        default="private",
        description="Whether a shared cache may keep a result for others; never where tokens or rules count.",
    )
    freshness_s: SecondsOrNone = Field(
        default=5,
        description="Seconds for which what the store said is not asked again; 0 asks every time.",
    )
    stale_if_error_s: SecondsOrNone = Field(
        default=300,
        description="Seconds past freshness for which the last answer is served while the store is slow or down.",
    )
    entry_cache_bytes: Whole = Field(
        default=6 * MIB,
        ge=0,
        description="Bytes of memory, per worker, for entries, digests and what listings said.",
    )
    content_cache_bytes: Whole = Field(
        default=6 * MIB, ge=0, description="Bytes of memory, per worker, for the contents of files."
    )
    fast_lane: bool = Field(
        default=True,
        description="Whether answers that are in memory are sent without going through the MCP SDK.",
    )
