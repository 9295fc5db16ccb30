"""What makes an entry fit to be published: one fault as a sentence, or none.

On hot paths (50 entries a page, hundreds of files each), so linear, and cheap for plain ASCII
paths. Fails closed: whatever a provider made of an entry, what passes here has URIs that parse
back to the same segments, and a manifest with one answer for every path.

Source: SEP-2640, Skill Entries (uri, resources, digest, size).
"""

import re

from gateway.skill.frontmatter_rules import frontmatter_problems
from gateway.skill.model import (
    MAX_SKILL_SEGMENTS,
    RECOMMENDED_MAX_BYTES,
    RECOMMENDED_MAX_FILES,
    SKILL_MD,
    Problem,
    SkillEntry,
    SkillFile,
)
from gateway.skill.uri import MAX_URI_BYTES, SCHEME, print_uri, segment_fault

__all__ = ["entry_fault", "entry_warnings", "frontmatter_problems", "is_digest", "is_size"]

_MAX_PATH_BYTES = MAX_URI_BYTES - len(SCHEME)
_MAX_SIZE_BYTES = 2**53 - 1
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# Paths that print as they are: unreserved characters and sub-delims, no dot segment, no empty one.
_SEGMENT = r"(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~!$&'()*+,;=-]++"
_PLAIN_PATH = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*+")


def entry_fault(entry: SkillEntry) -> str | None:
    """What forbids to publish the entry, as a sentence that names its path; None when nothing does."""
    fault = (
        _depth_fault(entry.path)
        or _path_fault(entry.path, _MAX_PATH_BYTES - len(SKILL_MD) - 1)
        or _frontmatter_fault(entry)
        or _manifest_fault(entry)
    )
    return f"The skill {_shown(entry.path)} {fault}" if fault else None


def is_digest(value: object) -> bool:
    """Whether a value is a SHA-256 digest in the form that SEP-2640 publishes."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def is_size(value: object) -> bool:
    """Whether a value is a number of bytes that every host reads as it is: hosts read JSON numbers as doubles."""
    return type(value) is int and 0 <= value <= _MAX_SIZE_BYTES  # a bool is an int to isinstance


def entry_warnings(
    entry: SkillEntry, max_files: int = RECOMMENDED_MAX_FILES, max_bytes: int = RECOMMENDED_MAX_BYTES
) -> list[Problem]:
    """Recommendations the entry goes past. It is served all the same."""
    files = entry.files or ()
    size_bytes = sum(file.size for file in files)
    warnings: list[Problem] = []
    if len(files) > max_files:
        detail = f"has {len(files)} files, more than the {max_files} recommended; split the skill"
        warnings.append(Problem(entry.path, "many_files", detail))
    if size_bytes > max_bytes:
        detail = f"has {size_bytes} bytes, more than the {max_bytes} recommended; move large files out"
        warnings.append(Problem(entry.path, "many_bytes", detail))
    return warnings


def _frontmatter_fault(entry: SkillEntry) -> str | None:
    problems = frontmatter_problems(entry.path, entry.frontmatter)
    return f"has a frontmatter that breaks the rules: {problems[0].detail}" if problems else None


def _manifest_fault(entry: SkillEntry) -> str | None:
    left_bytes = _MAX_PATH_BYTES - _printed_bytes(entry.path) - 1
    paths: set[str] = set()
    for file in entry.files or ():
        if fault := _path_fault(file.path, left_bytes) or _file_fault(file):
            return f"has a file {_shown(file.path)} that {fault}"
        if file.path in paths:
            return f"lists the file {_shown(file.path)} twice"
        paths.add(file.path)
    if entry.files is not None and SKILL_MD not in paths:
        return f"has no {SKILL_MD} in its manifest"
    return _directories_fault(entry.directories, paths, left_bytes) or _overlap_fault(entry.directories, paths)


def _file_fault(file: SkillFile) -> str | None:
    if not is_digest(file.digest):
        return f"has the digest {_shown(file.digest)}, needs sha256: and 64 hexadecimal digits"
    if not is_size(file.size):
        return f"has the size {file.size!r}, needs a whole number of bytes, at most 2^53-1"
    return None


def _directories_fault(directories: tuple[str, ...], files: set[str], left_bytes: int) -> str | None:
    for directory in directories:
        if fault := _path_fault(directory, left_bytes):
            return f"has a directory {_shown(directory)} that {fault}"
        if directory in files or directory == SKILL_MD:
            return f"has {_shown(directory)} both as a file and as a directory"
    if len(set(directories)) < len(directories):
        return "lists a directory twice"
    return None


def _overlap_fault(directories: tuple[str, ...], files: set[str]) -> str | None:
    above: set[str] = set()
    for path in (*files, *directories):
        parent = path.rpartition("/")[0]
        while parent and parent not in above:
            above.add(parent)
            parent = parent.rpartition("/")[0]
    both = above & (files | {SKILL_MD})
    return f"has {_shown(min(both))} both as a file and as a directory" if both else None


def _depth_fault(path: str) -> str | None:
    is_deep = path.count("/") >= MAX_SKILL_SEGMENTS
    return f"lies deeper than {MAX_SKILL_SEGMENTS} segments, so that no host could read it" if is_deep else None


def _path_fault(path: str, max_bytes: int) -> str | None:
    if not _PLAIN_PATH.fullmatch(path):
        for segment in path.split("/"):
            if fault := segment_fault(segment):
                return fault
    if _printed_bytes(path) > max_bytes:
        return f"has a URI of more than {MAX_URI_BYTES} bytes"
    return None


def _printed_bytes(path: str) -> int:
    """Length of a fit path as its part of a URI, without the scheme."""
    if _PLAIN_PATH.fullmatch(path):
        return len(path)
    return len(print_uri(tuple(path.split("/")))) - len(SCHEME)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:117] + "...")
