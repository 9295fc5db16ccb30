"""Fail closed: what a provider returned, looked at again before it is sent.

A half-right page is never sent: one bad child or entry makes the whole answer a fault of ours. Pure.
Source: DESIGN section 3 (adapter rules); SEP-2640, Skill Entries and Reading Directories.
"""

from collections.abc import Collection, Sequence

from gateway.errors import ProviderFault
from gateway.provider import Child, DirectoryPage, EntryPage, Page
from gateway.skill.model import SkillEntry, SkillPath
from gateway.skill.rules import entry_fault
from gateway.skill.uri import segment_fault


def check_entry(entry: SkillEntry, *, path: SkillPath | None = None) -> None:
    """Raises ProviderFault for an entry that breaks a rule, or that is not the one asked for."""
    if path is not None and entry.path != path:
        raise ProviderFault(f"asked for {path!r}, the provider returned {entry.path!r}")
    if fault := entry_fault(entry):
        raise ProviderFault(f"entry {entry.path!r}: {fault}")


def check_entry_page(answer: EntryPage, page: Page) -> None:
    """Raises ProviderFault for a page with a bad entry, a repeat, too many, or no way on."""
    _check_page(answer.entries, answer.position, page)
    paths = [entry.path for entry in answer.entries]
    if len(set(paths)) != len(paths):
        raise ProviderFault(f"a page lists {_repeated(paths)!r} twice")
    for entry in answer.entries:
        check_entry(entry)


def check_directory_page(answer: DirectoryPage, page: Page) -> None:
    """Raises ProviderFault for children that are not direct, repeat, or have a bad size or type."""
    _check_page(answer.children, answer.position, page)
    names = [child.name for child in answer.children]
    if len(set(names)) != len(names):
        raise ProviderFault(f"a directory page lists {_repeated(names)!r} twice")
    for child in answer.children:
        if fault := _child_fault(child):
            raise ProviderFault(f"child {child.name!r} of a directory {fault}")


def _check_page(items: Collection[object], position: object, page: Page) -> None:
    if len(items) > page.limit:
        raise ProviderFault(f"asked for {page.limit} items, the provider returned {len(items)}")
    if position is not None and (not isinstance(position, str) or not position):
        raise ProviderFault(f"a position is a non-empty text, the provider returned {position!r}")
    if position is not None and position == page.position:
        raise ProviderFault("the provider returned the position it was given: the listing would never end")


def _child_fault(child: Child) -> str | None:
    if fault := segment_fault(child.name):
        return fault
    if child.is_directory:
        return "is a directory with a size" if child.size is not None else None
    if child.size is not None and (isinstance(child.size, bool) or child.size < 0):
        return f"has size {child.size!r}, must be a whole number of bytes"
    return None


def _repeated(names: Sequence[str]) -> str:
    return next(name for name in names if names.count(name) > 1)
