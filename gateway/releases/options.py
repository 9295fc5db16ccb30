"""What a source of releases is told: where its skills are mounted, what it may serve, and what it may remember."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """`mount` are the decoded segments in front of every skill path.

    `allow_binary`: skills with binary files are served when the release says so too; else they are left out.
    """

    mount: tuple[str, ...] = ()
    allow_binary: bool = False
    max_file_bytes: int = 16 * 1024 * 1024
    """Largest file one read sends."""
    entry_cache_bytes: int = 6 * 1024 * 1024
    """Bound on the entries and pages that are remembered, in bytes of memory, roughly."""
    content_cache_bytes: int = 6 * 1024 * 1024
    """Bound on the contents of files that are remembered, in bytes."""
