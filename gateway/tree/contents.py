"""Keys of a group to its files and its empty directories.

A key may be a file and a directory of other keys at once, which no URI can say; and a store may list a
directory that is gone. Source: S3 user guide, object key naming.
"""

from collections.abc import Sequence

from gateway.objects import ListedObject
from gateway.skill.model import Problem
from gateway.tree.group import ancestors
from gateway.tree.keys import Located, Segments
from gateway.tree.probe import Prober
from gateway.tree.together import together


async def without_phantoms(keys: Sequence[Located], prober: Prober) -> list[Located]:
    """The keys without directories that a store has not yet forgotten."""
    doubtful = [key for key in keys if key.is_directory and not key.listed.etag]
    answers = await together(prober.is_marker(key.listed) for key in doubtful)
    phantoms = {key.segments for key, is_marker in zip(doubtful, answers, strict=True) if not is_marker}
    return [key for key in keys if not (key.is_directory and key.segments in phantoms)]


def servable_files(keys: Sequence[Located]) -> tuple[dict[Segments, ListedObject], list[Problem]]:
    """Files of a group by their segments, without those whose key is a directory of other keys too."""
    directories = {directory for key in keys for directory in ancestors(key.segments)}
    directories |= {key.segments for key in keys if key.is_directory}
    files: dict[Segments, ListedObject] = {}
    problems: list[Problem] = []
    for key in keys:
        if key.is_directory:
            continue
        if key.segments in directories:
            detail = "The key is a file and a directory of other keys at once; the file is not served"
            problems.append(Problem(key.listed.key, "file_and_directory", detail))
        else:
            files[key.segments] = key.listed
    return files, problems


def empty_directories(keys: Sequence[Located]) -> list[Segments]:
    """Marked directories that no file leads to."""
    leading = {directory for key in keys for directory in ancestors(key.segments)}
    marked = {key.segments for key in keys if key.is_directory}
    return sorted(marked - leading)
