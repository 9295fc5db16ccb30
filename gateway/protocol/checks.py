"""Fail closed: what a provider returned, looked at again before it is sent.

A half-right page is never sent: one bad child or entry makes the whole answer a fault of ours. Pure.
Source: SEP-2640, Skill Entries and Reading Directories.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from math import isfinite
from typing import cast

from gateway.errors import ProviderFault
from gateway.provider import Child, Content, DirectoryPage, EntryPage, Page
from gateway.skill.model import SkillEntry, SkillFile, SkillPath, digest_of
from gateway.skill.rules import entry_fault, is_size
from gateway.skill.uri import MAX_URI_BYTES, segment_fault

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MEDIA_TYPE = re.compile(r"[!-~]+/[ -~]+")


def check_entry(entry: SkillEntry, *, path: SkillPath | None = None) -> None:
    """Raises ProviderFault for an entry that breaks a rule, or that is not the one asked for."""
    if path is not None and entry.path != path:
        raise ProviderFault(f"asked for {path!r}, the provider returned {entry.path!r}")
    if fault := entry_fault(entry):
        raise ProviderFault(f"entry {entry.path!r}: {fault}")
    if fault := _json_fault(entry.frontmatter):
        raise ProviderFault(f"entry {entry.path!r}: its frontmatter {fault}")


def check_entries(
    entries: Sequence[SkillEntry], is_ours: Callable[[SkillPath], bool], is_checked: Callable[[SkillEntry], bool]
) -> None:
    """Raises ProviderFault for a page's entries when one is bad, repeats, or lies outside the namespaces.

    `is_checked` says of an entry that it was found good before.
    """
    paths = [entry.path for entry in entries]
    if len(set(paths)) != len(paths):
        raise ProviderFault(f"a page lists {_repeated(paths)!r} twice")
    for entry in entries:
        if not is_checked(entry):
            check_entry(entry)
        if not is_ours(entry.path):
            raise ProviderFault(f"the provider lists {entry.path!r}, which is not in its namespaces")


def check_page(answer: EntryPage, page: Page) -> None:
    """Raises ProviderFault for a page with too many entries, or no way on."""
    _check_page(answer.entries, answer.position, page)


def check_directory_page(answer: DirectoryPage, page: Page) -> None:
    """Raises ProviderFault for children that are not direct, repeat, or have a bad size or type."""
    _check_page(answer.children, answer.position, page)
    names = [child.name for child in answer.children]
    if len(set(names)) != len(names):
        raise ProviderFault(f"a directory page lists {_repeated(names)!r} twice")
    for child in answer.children:
        if fault := _child_fault(child):
            raise ProviderFault(f"child {child.name!r} of a directory {fault}")


def check_content(content: Content) -> None:
    """Raises ProviderFault for a media type that no header or JSON text could carry."""
    if not _MEDIA_TYPE.fullmatch(content.media_type):
        raise ProviderFault(f"a file has the media type {content.media_type!r}")


def is_as_published(content: Content, file: SkillFile | None) -> bool:
    """Whether the bytes are those of the entry; always for a dynamic skill, which publishes none."""
    if file is None:
        return True
    return len(content.data) == file.size and digest_of(content.data) == file.digest


def check_uris(resources: Sequence[Mapping[str, object]]) -> None:
    """Raises ProviderFault for a child whose URI is longer than one that can be read."""
    for resource in resources:
        if len(str(resource["uri"])) > MAX_URI_BYTES:
            raise ProviderFault(f"child {resource['name']!r} of a directory has a URI of over {MAX_URI_BYTES} bytes")


def _check_page(items: Collection[object], position: object, page: Page) -> None:
    if len(items) > page.limit:
        raise ProviderFault(f"asked for {page.limit} items, the provider returned {len(items)}")
    check_position(position, page)


def check_position(position: object, page: Page) -> None:
    """Raises ProviderFault for a position that is no text, or that leads nowhere."""
    if position is not None and (not isinstance(position, str) or not position):
        raise ProviderFault(f"a position is a non-empty text, the provider returned {position!r}")
    if position is not None and position == page.position:
        raise ProviderFault("the provider returned the position it was given: the listing would never end")


def _child_fault(child: Child) -> str | None:
    if fault := segment_fault(child.name):
        return fault
    if child.is_directory:
        return "is a directory with a size" if child.size is not None else None
    if child.size is not None and not is_size(child.size):
        return f"has size {child.size!r}, must be a whole number of bytes"
    if child.media_type and not _MEDIA_TYPE.fullmatch(child.media_type):
        return f"has the media type {child.media_type!r}"
    return None


def _json_fault(value: object) -> str | None:
    """What keeps a value from reaching a client as it is, as the end of a sentence.

    The SDK sends NaN as null, a date as text and a number as the name of a field, and breaks off in the
    middle of the answer at a lone surrogate.
    """
    if isinstance(value, str):
        return None if value.isascii() or not _SURROGATE.search(value) else "has a lone surrogate"
    if value is None or isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return None
    if isinstance(value, list):
        return _first_fault(cast("list[object]", value))
    if isinstance(value, Mapping):
        fields = cast("Mapping[object, object]", value)
        odd = next((name for name in fields if not isinstance(name, str)), None)
        return f"has a field {odd!r}" if odd is not None else _first_fault((*fields, *fields.values()))
    return f"has {value!r}, which is no JSON"


def _first_fault(values: Sequence[object]) -> str | None:
    return next((fault for value in values if (fault := _json_fault(value))), None)


def _repeated(names: Sequence[str]) -> str:
    return next(name for name in names if names.count(name) > 1)
