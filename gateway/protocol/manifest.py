"""Directories of a static skill, computed from its manifest. Pure; no callback, no listing."""

from gateway.provider import Child, DirectoryPage, Page
from gateway.skill.model import SkillEntry


def children_of(entry: SkillEntry, directory_path: str) -> dict[str, Child] | None:
    """Direct children by name of a directory of a static skill; None when it has no such directory.

    The skill's root is the empty path. Explicit empty directories of the entry count.
    """
    head = directory_path + "/" if directory_path else ""
    children: dict[str, Child] = {}
    for file in entry.files or ():
        if file.path.startswith(head):
            name, slash, _ = file.path[len(head) :].partition("/")
            children[name] = Child(name, True) if slash else Child(name, False, file.size, file.media_type)
    for directory in entry.directories:
        if directory.startswith(head):
            name = directory[len(head) :].partition("/")[0]
            children.setdefault(name, Child(name, True))
    is_directory = bool(children) or not directory_path or directory_path in entry.directories
    return children if is_directory else None


def directory_page(children: dict[str, Child], page: Page) -> DirectoryPage:
    """One page in the order of names. The position is the last name served, so a change in between loses nothing."""
    names = sorted(name for name in children if page.position is None or name > page.position)
    served = names[: page.limit]
    return DirectoryPage(tuple(children[name] for name in served), served[-1] if len(names) > len(served) else None)
