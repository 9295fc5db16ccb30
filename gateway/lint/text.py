"""Findings in the bytes of one `SKILL.md`: its encoding, line breaks, frontmatter, links and length."""

from collections.abc import Iterator, Set

from gateway.lint.finding import Finding, by_rule
from gateway.lint.frontmatter import frontmatter_findings
from gateway.lint.links import link_findings

MAX_TOKENS = 5000
"""Recommended for a `SKILL.md`. Source: agentskills.io specification, Progressive disclosure."""

_BYTES_A_TOKEN = 4
_BOM = b"\xef\xbb\xbf"


def text_findings(path: str, data: bytes, places: Set[str]) -> Iterator[Finding]:
    """What to mend in one `SKILL.md`, whole. `places` are the skill's files and directories, relative to it."""
    if data.startswith(_BOM):
        yield by_rule(path, "bom", "the file begins with a byte order mark; save it without, or run --fix", 1, 1)
    if (index := data.find(b"\r\n")) >= 0:
        line_start = data.rfind(b"\n", 0, index) + 1
        column = len(data[line_start:index].decode(errors="replace").removeprefix("\ufeff")) + 1
        message = "lines end with CRLF; end them with LF, or run --fix"
        yield by_rule(path, "crlf", message, data.count(b"\n", 0, index) + 1, column)
    yield from frontmatter_findings(path, data)
    yield from link_findings(path, data.decode(errors="replace"), places)
    if (tokens := token_estimate(data)) > MAX_TOKENS:
        message = f"about {tokens} tokens (an estimate), over the {MAX_TOKENS} recommended; move text to other files"
        yield by_rule(path, "many_tokens", message, 1, 1)


def token_estimate(data: bytes) -> int:
    """About how many tokens a text costs a model: a quarter of its characters, rounded up."""
    return -(-len(data.decode(errors="replace")) // _BYTES_A_TOKEN)
