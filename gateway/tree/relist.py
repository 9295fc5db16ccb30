"""One group by its prefix: what `get` asks, and what a group seen only in part is completed with."""

from gateway.errors import StoreMisbehaved
from gateway.objects import ObjectStore
from gateway.tree.group import Group
from gateway.tree.keys import KeyMap, Segments
from gateway.tree.options import TreeOptions
from gateway.tree.position import START


async def list_group(store: ObjectStore, keys: KeyMap, options: TreeOptions, root: Segments) -> Group:
    """All keys under one directory, in as many listing pages as it takes, up to the bound on keys."""
    group = Group(root, START)
    prefix = keys.directory_prefix(root)
    token: str | None = None
    tokens_seen: set[str] = set()
    while True:
        page = await store.list_page(prefix, token=token, max_keys=options.list_keys)
        for listed in page.objects:
            if keys.segments_of(listed.key) != root:  # the marker of the directory itself
                group.add(keys.locate(listed), options.max_skill_keys)
        token = page.next_token
        if token is None or group.is_too_large:
            return group
        if token in tokens_seen:
            raise StoreMisbehaved(f"listing {prefix!r}: the store gave the same continuation token twice")
        tokens_seen.add(token)
