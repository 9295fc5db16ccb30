"""Relative links of a `SKILL.md` that lead to no file of the skill.

Reads Markdown as far as that takes: inline links, images and link definitions outside of code and
comments. Source: CommonMark 0.31 sections 4.5, 4.7, 6.1, 6.3.
"""

import posixpath
import re
from collections.abc import Iterator, Set
from urllib.parse import unquote

from gateway.lint.finding import Finding, by_rule

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DESTINATION = r"(<[^<>\n]*+>|[^\s()<>]++(?:\([^\s()]*+\)[^\s()<>]*+)*+)"
_INLINE = re.compile(rf"\]\([ \t]*+{_DESTINATION}[ \t)\n]")
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]++\]:[ \t]*+(<[^<>\n]*+>|\S++)", re.MULTILINE)
_ELSEWHERE = re.compile(r"[#/?\\]|[A-Za-z][A-Za-z0-9+.-]*:")
_PLACEHOLDER = re.compile(r"[{}$*|<>]|\.\.\.|…")
_NOT_LINE_END = re.compile(r"[^\n]")


def link_findings(path: str, text: str, places: Set[str]) -> Iterator[Finding]:
    """Links that lead nowhere. `places` are files and directories of the skill, relative to it."""
    body = _without_code(text)
    for match in (*_INLINE.finditer(body), *_DEFINITION.finditer(body)):
        message = _fault(match[1].strip("<>"), places)
        if message:
            start = match.start(1)
            line, column = body.count("\n", 0, start) + 1, start - body.rfind("\n", 0, start)
            yield by_rule(path, "broken_link", message, line, column)


def _fault(destination: str, places: Set[str]) -> str | None:
    if not destination or _ELSEWHERE.match(destination) or _PLACEHOLDER.search(destination):
        return None
    relative = unquote(destination.partition("#")[0].partition("?")[0])
    target = posixpath.normpath(relative)
    if target == ".." or target.startswith("../"):
        return f"the link {destination!r} leads out of the skill, where no host follows; copy the file into it"
    if target == "." or target in places:
        return None
    return f"the link {destination!r} leads to no file of the skill; correct it, or add {target}"


def _without_code(text: str) -> str:
    """The text with frontmatter, code and comments blanked out, every other character where it was."""
    lines = text.split("\n")
    start = _body_start(lines)
    fence = ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        is_closing = bool(fence and match and match[1].startswith(fence) and not line[match.end() :].strip())
        if number < start or fence or match:
            lines[number] = _blank(line)
        if number < start:
            continue
        if is_closing:
            fence = ""
        elif match and not fence:
            fence = match[1]
    body = _COMMENT.sub(lambda found: _blank(found[0]), "\n".join(lines))
    return _CODE_SPAN.sub(lambda found: _blank(found[0]), body)


def _body_start(lines: list[str]) -> int:
    if lines[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines) if number and line.rstrip() == "---"), 0)


def _blank(text: str) -> str:
    return _NOT_LINE_END.sub(" ", text)
