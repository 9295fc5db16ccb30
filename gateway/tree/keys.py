"""Keys to places: which keys of a bucket can be files or directories of a skill.

`<prefix><path>/<file_path>` is `skill://<mount/><path>/<file_path>`; the mapping is one to one, so a
key that no canonical URI could name is never served. It is reported, because somebody put it there.
Pure. Source: S3 API, object key naming.
"""

from dataclasses import dataclass

from gateway.objects import ListedObject, ObjectKey
from gateway.skill.model import SKILL_MD, Problem
from gateway.skill.uri import MAX_URI_BYTES, print_uri, segment_fault

Segments = tuple[str, ...]

MAX_MOUNT_BYTES = 256
"""A mount longer than this is refused by the settings."""

_SURELY_FITS_BYTES = MAX_URI_BYTES // 3 - MAX_MOUNT_BYTES


@dataclass(frozen=True, slots=True)
class Located:
    """A key that may be served: its segments below the prefix, and whether it marks an empty directory."""

    segments: Segments
    listed: ListedObject
    is_directory: bool = False


@dataclass(frozen=True, slots=True)
class KeyMap:
    """The two-way mapping for one prefix and mount."""

    prefix: str
    mount: Segments

    def key_of(self, segments: Segments) -> ObjectKey:
        return ObjectKey(self.prefix + "/".join(segments))

    def directory_prefix(self, segments: Segments) -> str:
        return self.prefix + "".join(segment + "/" for segment in segments)

    def segments_of(self, key: str) -> Segments:
        """Raw segments below the prefix, fit or not; without the empty one after a final `/`."""
        return tuple(key[len(self.prefix) :].removesuffix("/").split("/"))

    def locate(self, listed: ListedObject) -> Located | Problem | None:
        """Where a listed key lies; a Problem for one that cannot be served; None for one to pass over."""
        relative = listed.key[len(self.prefix) :]
        if not relative:
            return None
        is_directory = relative.endswith("/")
        segments = self.segments_of(listed.key)
        if fault := self._fault(segments, listed, is_directory):
            return Problem(where=listed.key, code="unservable_key", detail=f"The key {fault}; it is not served")
        if is_hidden(segments):
            return None
        if segments == (SKILL_MD,) and not is_directory:
            detail = "SKILL.md at the root of the prefix makes no skill; move it into a directory with the skill's name"
            return Problem(where=listed.key, code="skill_at_root", detail=detail)
        return Located(segments, listed, is_directory)

    def is_fit(self, segments: Segments) -> bool:
        """Whether a directory with these segments can be named by a URI."""
        if any(segment_fault(segment) for segment in segments):
            return False
        return len(print_uri((*self.mount, *segments))) <= MAX_URI_BYTES

    def _fault(self, segments: Segments, listed: ListedObject, is_directory: bool) -> str | None:
        for segment in segments:
            if fault := segment_fault(segment):
                return fault
        if is_directory and listed.size:
            return f"ends in '/' and yet holds {listed.size} bytes"
        # Encoding makes a byte at most three times longer: short keys need no look at their URI.
        if len(listed.key.encode()) > _SURELY_FITS_BYTES:
            uri_bytes = len(print_uri((*self.mount, *segments)))
            if uri_bytes > MAX_URI_BYTES:
                return f"makes a URI of {uri_bytes} bytes, at most {MAX_URI_BYTES} are served"
        return None


def is_hidden(segments: Segments) -> bool:
    """A segment that begins with a dot (`.git`, `.DS_Store`) hides all below it."""
    return any(segment.startswith(".") for segment in segments)
