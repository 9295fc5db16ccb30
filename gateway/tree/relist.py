"""One group by its prefix: what `get` asks, and what a group seen only in part is completed with."""

from gateway.errors import StoreMisbehaved
from gateway.tree.group import Group
from gateway.tree.keys import Segments
from gateway.tree.position import START
from gateway.tree.source import Source


async def list_group(source: Source, root: Segments) -> Group:
    """All keys under one directory, in as many listing pages as it takes, up to the bound on keys."""
    group = Group(root, START, source.now())
    keys, options = source.keys, source.options
    prefix = keys.directory_prefix(root)
    token: str | None = None
    tokens_seen: set[str] = set()
    while True:
        page = await source.store.list_page(prefix, token=token, max_keys=options.list_keys)
        for listed in page.objects:
            if keys.segments_of(listed.key) != root:  # the marker of the directory itself
                group.add(keys.locate(listed), options.max_skill_keys)
        token = page.next_token
        if token is None or group.is_too_large:
            return group
        if token in tokens_seen:
            raise StoreMisbehaved(f"listing {prefix!r}: the store gave the same continuation token twice")
        tokens_seen.add(token)
