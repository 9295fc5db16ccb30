"""The frontmatter of a `SKILL.md`: from the first bytes of the file to one mapping.

What it gives is what an agent host finds when it parses the same bytes: one BOM dropped, `---` as
line 1, the text up to the closing `---` line with its last newline, CRLF as LF. Refuses by a named
code whatever hosts would read differently. Knows no rule about names or descriptions (`rules.py`).

Source: agentskills.io specification, Frontmatter.
"""

import re

from gateway.errors import GatewayError
from gateway.skill.model import Json
from gateway.skill.yaml_load import load_yaml
from gateway.skill.yaml_text import MAX_TEXT_BYTES, YamlRefused

MAX_FRONTMATTER_BYTES = MAX_TEXT_BYTES
MAX_HEAD_BYTES = MAX_FRONTMATTER_BYTES + 1024
"""With this many first bytes of a file the answer is never "fetch more"."""

_BOM = b"\xef\xbb\xbf"
_OPENING = re.compile(rb"---[ \t]*+\r?\n")
_CLOSING = re.compile(rb"^---[ \t]*+(\r?\n|\r?\Z)", re.MULTILINE)
_MAY_OPEN = re.compile(rb"-{0,2}|---[ \t]*+\r?")
_TEXT_LINE = 2  # the fence is line 1


class FrontmatterRefused(GatewayError):
    """A frontmatter that is not served. `line` and `column` count from 1 in `SKILL.md` itself."""

    reason = "frontmatter_refused"

    def __init__(self, code: str, detail: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"SKILL.md:{line}:{column}: {detail} [{code}]")
        self.code = code
        self.detail = detail
        self.line = line
        self.column = column


def read_frontmatter(head: bytes, *, is_whole: bool) -> dict[str, Json] | None:
    """The mapping in the frontmatter of a file that begins with `head`; None when `head` is too short.

    Raises FrontmatterRefused.
    """
    text = find_frontmatter(head, is_whole=is_whole)
    return None if text is None else load_frontmatter(text)


def find_frontmatter(head: bytes, *, is_whole: bool) -> str | None:
    """The text between the fences, its last newline kept.

    `head` is the whole file, or its first bytes. None when the closing fence is not in it and more
    bytes may bring it; never None for `MAX_HEAD_BYTES` or a whole file. Raises FrontmatterRefused.
    """
    body = head.removeprefix(_BOM)
    opening = _OPENING.match(body)
    if opening is None:
        if not is_whole and len(head) < MAX_HEAD_BYTES and (_BOM.startswith(body) or _MAY_OPEN.fullmatch(body)):
            return None
        raise FrontmatterRefused("no_frontmatter", "the first line is not '---'; begin SKILL.md with a frontmatter")
    closing = _closing(body, opening.end(), is_whole)
    if closing is None and is_whole:
        raise FrontmatterRefused("unclosed_frontmatter", "no '---' line closes the frontmatter; add one")
    if closing is None and len(head) >= MAX_HEAD_BYTES:
        raise _too_large()
    if closing is None:
        return None
    return _decoded(body[opening.end() : closing])


def load_frontmatter(text: str) -> dict[str, Json]:
    """The mapping in a text as `find_frontmatter` gives it. Raises FrontmatterRefused."""
    try:
        value = load_yaml(text)
    except YamlRefused as error:
        line = error.line + _TEXT_LINE - 1
        raise FrontmatterRefused(error.code, error.detail, line, error.column) from error
    if not isinstance(value, dict):
        raise FrontmatterRefused("not_a_mapping", "the frontmatter is no list of 'key: value' lines", _TEXT_LINE)
    return value


def _closing(body: bytes, start: int, is_whole: bool) -> int | None:
    found = _CLOSING.search(body, start)
    if found is None:
        return None
    # a last line without its newline may go on in bytes that were not fetched; and only CRLF ends a line
    is_complete = found[1].endswith(b"\n") or (is_whole and not found[1])
    return found.start() if is_complete else None


def _decoded(block: bytes) -> str:
    if len(block) > MAX_FRONTMATTER_BYTES:
        raise _too_large()
    try:
        return block.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = block.count(b"\n", 0, error.start)
        before = block[block.rfind(b"\n", 0, error.start) + 1 : error.start].decode()
        detail = f"the byte 0x{block[error.start]:02X} is no UTF-8; save the file as UTF-8"
        raise FrontmatterRefused("not_utf8", detail, line + _TEXT_LINE, len(before) + 1) from error


def _too_large() -> FrontmatterRefused:
    detail = f"more than {MAX_FRONTMATTER_BYTES} bytes of frontmatter; move text to the body"
    return FrontmatterRefused("frontmatter_too_large", detail)
