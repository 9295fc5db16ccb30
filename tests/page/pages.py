"""The page of a gateway, asked as a browser without scripts would."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from gateway.asgi import app_over
from gateway.settings import Settings
from tests.protocol.host import serving
from tests.stores import Bucket, MemoryBucket


@asynccontextmanager
async def browsing(objects: Mapping[str, bytes] | Bucket, **changes: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client at the page over a tree of `objects`; `changes` are settings."""
    bucket = MemoryBucket() if isinstance(objects, Mapping) else objects
    if isinstance(objects, Mapping):
        for key, data in objects.items():
            await bucket.put(key, data)
    settings = Settings(
        bucket=bucket.name,
        cursor_keys=("k" * 32,),
        **({"freshness_s": 0, "page_size": 3, "allow_binary": True} | changes),
    )
    async with serving(app_over(bucket.open, settings)) as host:
        yield host.client


def skills_in(html: str) -> list[str]:
    """The skills that a page of the catalogue links to, in its order."""
    return re.findall(r'<h3><a href="/skills/([^"]+)"', html)


def plain(html: str) -> str:
    """The words of a page: no tags, blanks in one."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())
