"""Shapes of SEP-2640 and of the resources primitive, as JSON values.

The modern revision (2026-07-28) carries caching hints on every result; the handshake ones know none,
and extension results reach the client as they are, so they are left out here. Source: SEP-2640, all
response sections; base schema 2026-07-28, `CacheableResult`.
"""

import base64
from typing import Any

from gateway.errors import BinaryRefused
from gateway.protocol.options import AdapterOptions
from gateway.provider import Child, Content, Origin
from gateway.skill.media import is_binary
from gateway.skill.model import DIRECTORY_MEDIA_TYPE, SKILL_MD, SkillEntry
from gateway.skill.uri import SCHEME, print_uri

JsonObject = dict[str, Any]

RELEASE_META_KEY = "com.skills-gateway/release"
"""In `_meta` of a result: which release it was made of. A `Skill` has no `_meta` of its own."""


def hints(options: AdapterOptions, *, is_modern: bool) -> JsonObject:
    """What a result says of itself on the modern revision; nothing on handshake ones."""
    if not is_modern:
        return {}
    return {"resultType": "complete", "ttlMs": options.ttl_ms, "cacheScope": options.cache_scope}


def provenance(origin: Origin | None) -> JsonObject:
    """Where a result comes from, as the `_meta` of it; nothing when nobody said it."""
    if origin is None:
        return {}
    release: JsonObject = {"id": origin.release}
    if origin.labels:
        release["labels"] = {_sendable(name): _sendable(value) for name, value in origin.labels.items()}
    if origin.signer is not None:
        release["signer"] = origin.signer
    return {"_meta": {RELEASE_META_KEY: release}}


def entry_json(entry: SkillEntry) -> JsonObject:
    """A `Skill`: verbatim frontmatter, canonical URIs, the complete manifest or "dynamic"."""
    resources: str | list[JsonObject] = "dynamic"
    if entry.files is not None:
        root = print_uri(tuple(entry.path.split("/")))
        resources = [
            {"uri": f"{root}/{_below(file.path)}", "digest": file.digest, "size": file.size} for file in entry.files
        ]
    return {"uri": file_uri(entry, SKILL_MD), "frontmatter": dict(entry.frontmatter), "resources": resources}


def skill_resource_json(entry: SkillEntry) -> JsonObject:
    """The `Resource` of a skill's `SKILL.md`, as `resources/list` has it."""
    resource: JsonObject = {
        "uri": file_uri(entry, SKILL_MD),
        "name": entry.name,
        "description": entry.description,
        "mimeType": "text/markdown",
    }
    size = next((file.size for file in entry.files or () if file.path == SKILL_MD), None)
    return resource if size is None else resource | {"size": size}


def child_json(directory: tuple[str, ...], child: Child, owner: SkillEntry) -> JsonObject:
    """The `Resource` of a direct child of a directory; no trailing slash."""
    resource: JsonObject = {"uri": print_uri((*directory, child.name)), "name": child.name}
    if child.is_directory:
        return resource | {"mimeType": DIRECTORY_MEDIA_TYPE}
    if child.name == SKILL_MD and "/".join(directory) == owner.path:
        resource |= {"name": owner.name, "description": owner.description}
    if child.media_type:
        resource["mimeType"] = child.media_type
    return resource if child.size is None else resource | {"size": child.size}


def contents_json(uri: str, file_path: str, content: Content) -> JsonObject:
    """One element of `contents`, under the client's own spelling of the URI.

    Text when the bytes are valid UTF-8 of a textual type, else base64. Raises BinaryRefused when
    binary is not allowed, and always for a `SKILL.md` that is no text.
    """
    text = _text(content)
    if text is not None:
        return {"uri": uri, "mimeType": content.media_type, "text": text}
    if file_path.rsplit("/", 1)[-1] == SKILL_MD:
        raise BinaryRefused(f"{uri} is not text, as a {SKILL_MD} must be")
    if not content.allow_binary:
        raise BinaryRefused(f"{uri} is not text ({content.media_type}); this server sends text only")
    return {"uri": uri, "mimeType": content.media_type, "blob": base64.b64encode(content.data).decode()}


def file_uri(entry: SkillEntry, file_path: str) -> str:
    return print_uri((*entry.path.split("/"), *file_path.split("/")))


def _sendable(text: str) -> str:
    # A label is JSON that somebody wrote: a lone surrogate in it must not keep everything from being served.
    return text.encode(errors="replace").decode()


def _below(file_path: str) -> str:
    return print_uri(tuple(file_path.split("/"))).removeprefix(SCHEME)


def _text(content: Content) -> str | None:
    if is_binary(content.media_type, True):
        return None
    try:
        return content.data.decode()
    except UnicodeDecodeError:
        return None
