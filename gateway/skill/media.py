"""Media types and text-or-binary: what a file is called on the wire.

A type comes from the store when someone said one, else from the file's name by a table of our own
(the machine's MIME files would give each replica its own answers), else from its bytes. Knows no
store: bytes and stored types are handed in.

Source: IANA media types (RFC 9512 yaml, 9239 javascript, 7763 markdown); RFC 3629 (UTF-8).
"""

import codecs
import re

from gateway.skill.media_names import BY_EXTENSION, BY_NAME
from gateway.skill.model import SKILL_MD

MARKDOWN = "text/markdown"
PLAIN = "text/plain"
BYTES = "application/octet-stream"

_NOBODY_SAID = frozenset({"", BYTES, "binary/octet-stream", "application/x-octet-stream"})
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_TEXTUAL_SUFFIXES = ("+json", "+xml", "+yaml", "+toml")
_TEXTUAL_SUBTYPES = re.compile(
    r"application/(?:x-)?(?:ecmascript|graphql|httpd-php|javascript|json|json5|jsonl|latex|ndjson|perl|python|ruby|sh"
    r"|shellscript|sql|tex|toml|typescript|xml|xml-dtd|yaml)"
)
_MAX_SEQUENCE_TAIL = 3  # continuation bytes a UTF-8 sequence can leave behind a cut


def media_type_of(file_path: str, stored: str | None, is_text: bool | None) -> str:
    """Media type of a file, lower-case, without parameters.

    `stored` is the store's word for it, `is_text` the verdict on its bytes, None when nobody looked
    (`needs_bytes` says when looking matters). `SKILL.md` is Markdown whatever was stored.
    """
    if known := _known_type(file_path, stored):
        return known
    return PLAIN if is_text else BYTES


def needs_bytes(file_path: str, stored: str | None) -> bool:
    """Whether only the bytes of the file can tell its media type."""
    return _known_type(file_path, stored) is None


def is_textual(media_type: str) -> bool:
    """Whether files of a media type are text. SVG is."""
    return media_type.startswith("text/") or (
        media_type.endswith(_TEXTUAL_SUFFIXES) or _TEXTUAL_SUBTYPES.fullmatch(media_type) is not None
    )


def is_binary(media_type: str, is_text: bool) -> bool:
    """Whether a file counts as binary: by its media type, or because its bytes are no UTF-8.

    ASCII that is declared `application/octet-stream` counts.
    """
    return not is_text or not is_textual(media_type)


class Utf8Check:
    """Verdict on bytes that come in chunks: are they, together, valid UTF-8?"""

    __slots__ = ("_decoder", "_is_valid")

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._is_valid = True

    def feed(self, chunk: bytes) -> None:
        self._decode(chunk, is_last=False)

    def finish(self) -> bool:
        """The verdict; False also when the last sequence is not complete. Nothing may be fed after it."""
        self._decode(b"", is_last=True)
        return self._is_valid

    def _decode(self, chunk: bytes, is_last: bool) -> None:
        if not self._is_valid:
            return
        try:
            self._decoder.decode(chunk, is_last)
        except UnicodeDecodeError:
            self._is_valid = False


def looks_like_utf8(head: bytes, tail: bytes | None) -> bool:
    """Whether an object with these first and last bytes can be UTF-8.

    `head` may end, and `tail` begin, inside a sequence. With `tail` None the head is the whole
    object and the verdict exact; otherwise False is certain, and True is a fair guess.
    """
    if tail is None:
        return _is_utf8(head)
    start = 0
    while start < min(len(tail), _MAX_SEQUENCE_TAIL) and tail[start] & 0xC0 == 0x80:
        start += 1
    return _is_utf8_start(head) and _is_utf8(tail[start:])


def _is_utf8(data: bytes) -> bool:
    check = Utf8Check()
    check.feed(data)
    return check.finish()


def _is_utf8_start(data: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(data, False)
    except UnicodeDecodeError:
        return False
    return True


def _known_type(file_path: str, stored: str | None) -> str | None:
    name = file_path.rpartition("/")[2]
    if name == SKILL_MD:
        return MARKDOWN
    said = (stored or "").partition(";")[0].strip().lower()
    _, dot, extension = name.lower().rpartition(".")
    by_name = BY_EXTENSION.get(extension) if dot else BY_NAME.get(extension)
    # SeaweedFS makes text/plain up for an upload without a type: a name that says more is believed first.
    is_weak = said == PLAIN and by_name not in (None, BYTES)
    if said not in _NOBODY_SAID and not is_weak and _MEDIA_TYPE.fullmatch(said):
        return said
    return by_name
