"""A bucket prefix looked over for the linter: its keys, and the bytes of each `SKILL.md` and of nothing else."""

from gateway.cli.lint_folder import MAX_TEXT_BYTES
from gateway.errors import ObjectChanged, ObjectMissing, ObjectTooLarge
from gateway.lint.facts import Facts, facts_of
from gateway.objects import ObjectKey, ObjectStore
from gateway.skill.model import SKILL_MD
from gateway.skill.uri import segment_fault
from gateway.tree.together import together


async def facts_of_bucket(store: ObjectStore, prefix: str) -> Facts:
    """List a prefix, which is empty or ends in `/`, and read each `SKILL.md` under it."""
    sizes = await _sizes(store, prefix)
    paths = [path for path in facts_of(sizes).sizes if path.endswith(f"/{SKILL_MD}")]
    texts = await together(_read(store, ObjectKey(prefix + path)) for path in paths)
    return facts_of(sizes, (), {path: data for path, data in zip(paths, texts, strict=True) if data is not None})


async def _sizes(store: ObjectStore, prefix: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    token: str | None = None
    while True:
        page = await store.list_page(prefix, token=token)
        for listed in page.objects:
            path = listed.key.removeprefix(prefix)
            if not any(map(segment_fault, path.split("/"))):  # an odd key is in the verdict
                sizes[path] = listed.size
        token = page.next_token
        if token is None:
            return sizes


async def _read(store: ObjectStore, key: ObjectKey) -> bytes | None:
    try:
        return (await store.get(key, max_bytes=MAX_TEXT_BYTES)).data
    except (ObjectMissing, ObjectChanged, ObjectTooLarge):
        return None  # gone, or too large to be looked into; the verdict has it
