"""PyYAML's pure scanner and parser, with the rules of YAML 1.2 where it keeps those of 1.1.

Pure scanner only: the C one reads differently. What is changed: tabs separate tokens but never
indent, NEL, LS and PS are text and no line breaks, `?` and `:` start plain values inside flow
collections, a comment needs white space before it, and directives, anchors, aliases and tags are
refused at once. Nesting is bounded here, where it begins, so that hostile text stays cheap.

Source: YAML 1.2.2 sections 5.4, 6.1, 6.6, 7.3.3, 7.4; values agree with npm `yaml`.
"""

import re
from typing import NoReturn

from yaml.error import Mark
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner
from yaml.tokens import FlowMappingEndToken, FlowSequenceEndToken, ScalarToken

from gateway.skill.yaml_text import YamlRefused

MAX_DEPTH = 64

# The scanner breaks lines at these three, so it sees surrogates in their place: a fit text has none.
_TO_STAND_INS = {0x85: "\ud800", 0x2028: "\ud801", 0x2029: "\ud802"}
_FROM_STAND_INS = {0xD800: "\x85", 0xD801: "\u2028", 0xD802: "\u2029"}

_BLANKS = re.compile(r"[ \t]*+")
_DOCUMENT_MARKER = re.compile(r"(?:---|\.\.\.)[ \t\n\0]")
_BLOCK_WORD = r"(?:[^ \t\n\0:]|:(?![ \t\n\0]))++"
_FLOW_WORD = r"(?:[^ \t\n\0:,\[\]{}]|:(?![ \t\n\0,\[\]{}]))++"
_BLOCK_PLAIN = re.compile(rf"{_BLOCK_WORD}(?:[ \t]++(?!\#){_BLOCK_WORD})*+")
_FLOW_PLAIN = re.compile(rf"{_FLOW_WORD}(?:[ \t]++(?!\#){_FLOW_WORD})*+")
_SPACE = "\0 \t\n"
_FLOW_SPACE = _SPACE + ",[]{}"
_CANNOT_START = _SPACE + "-?:,[]{}#&*!|>'\"%@`"


class CoreParser(Reader, Scanner, Parser):
    """Events of one fit text (`yaml_text.fit_text`). Raises YamlRefused and PyYAML's own errors."""

    def __init__(self, text: str) -> None:
        stream = text.translate(_TO_STAND_INS) if not text.isascii() else text
        self._has_stand_ins = stream != text
        Reader.__init__(self, stream)
        Scanner.__init__(self)
        Parser.__init__(self)

    def check_printable(self, data: str) -> None:
        """Nothing: `fit_text` has judged the characters, and lets through more than YAML 1.1 does."""

    def peek(self, index: int = 0) -> str:
        return self.buffer[self.pointer + index]

    def prefix(self, length: int = 1) -> str:
        chunk = self.buffer[self.pointer : self.pointer + length]
        return chunk.translate(_FROM_STAND_INS) if self._has_stand_ins else chunk

    def forward(self, length: int = 1) -> None:
        start = self.pointer
        stop = self.pointer = self.index = start + length
        breaks = self.buffer.count("\n", start, stop)
        self.line += breaks
        self.column = stop - self.buffer.rfind("\n", start, stop) - 1 if breaks else self.column + length

    # Separation

    def scan_to_next_token(self) -> None:
        is_line_start = self.column == 0
        while True:
            has_tab = "\t" in self._take(_BLANKS)
            character = self.peek()
            if has_tab and not self.flow_level:
                if is_line_start and character not in "#\n\0":
                    self._refuse_tab()
                self.allow_simple_key = False  # no block collection may begin behind a tab
            if character == "#":
                self._skip_comment()
            if self.peek() != "\n":
                return
            self.forward()
            is_line_start = True
            if not self.flow_level:
                self.allow_simple_key = True

    def _skip_comment(self) -> None:
        if self.pointer and self.buffer[self.pointer - 1] not in " \t\n":
            self._refuse("comment_without_space", "'#' needs a space before it to start a comment; or quote the value")
        self.forward(self.buffer.index("\n", self.pointer) - self.pointer)

    # Plain scalars

    def check_key(self) -> bool:
        return self.peek(1) in (_FLOW_SPACE if self.flow_level else _SPACE)

    def check_value(self) -> bool:
        return self.peek(1) in (_FLOW_SPACE if self.flow_level else _SPACE) or self._follows_json_key()

    def check_plain(self) -> bool:
        character = self.peek()
        if character in "-?:":
            return self.peek(1) not in (_FLOW_SPACE if self.flow_level else _SPACE)
        return character not in _CANNOT_START

    def _follows_json_key(self) -> bool:
        # {"a":1}: after a quoted or bracketed key the colon needs no space (section 7.4.2)
        if not self.flow_level or self.flow_level not in self.possible_simple_keys:
            return False
        last = self.tokens[-1]
        return isinstance(last, FlowSequenceEndToken | FlowMappingEndToken) or (
            isinstance(last, ScalarToken) and not last.plain
        )

    def scan_plain(self) -> ScalarToken:
        pattern = _FLOW_PLAIN if self.flow_level else _BLOCK_PLAIN
        chunks: list[str] = []
        spaces: list[str] = []
        start = end = self.get_mark()
        while self.peek() != "#" and (words := self._take(pattern)):
            self.allow_simple_key = False
            chunks += [*spaces, words]
            end = self.get_mark()
            spaces = self.scan_plain_spaces(self.indent + 1, start)
            if not spaces or (not self.flow_level and self.column <= self.indent):
                break
        return ScalarToken("".join(chunks), True, start, end)

    def scan_plain_spaces(self, indent: int, start_mark: Mark) -> list[str]:
        blanks = self._take(_BLANKS)
        if self.peek() != "\n":
            return [blanks] if blanks else []
        self.forward()
        self.allow_simple_key = True
        empty_lines = 0
        while not self._is_at_document_marker():
            blanks = self._take(_BLANKS)
            if self.peek() != "\n":
                if "\t" in blanks.ljust(indent)[:indent] and not self.flow_level and self.peek() not in "#\0":
                    self._refuse_tab()
                return ["\n" * empty_lines or " "]
            self.forward()
            empty_lines += 1
        return []

    def _is_at_document_marker(self) -> bool:
        return self.column == 0 and _DOCUMENT_MARKER.match(self.buffer, self.pointer) is not None

    def scan_flow_scalar(self, style: str) -> ScalarToken:
        mark = self.get_mark()
        try:
            return super().scan_flow_scalar(style)  # pyright: ignore[reportUnknownMemberType]
        except (ValueError, OverflowError):  # chr() of an escape past U+10FFFF
            self._refuse("bad_escape", "an escape names no Unicode character; at most \\U0010FFFF", mark)

    # Bounds, and what is refused at sight

    def fetch_flow_sequence_start(self) -> None:
        self._bound(self.flow_level)
        super().fetch_flow_sequence_start()

    def fetch_flow_mapping_start(self) -> None:
        self._bound(self.flow_level)
        super().fetch_flow_mapping_start()

    def add_indent(self, column: int) -> bool:
        if self.indent >= column:
            return False
        self._bound(len(self.indents))
        self.indents.append(self.indent)
        self.indent = column
        return True

    def fetch_directive(self) -> None:
        self._refuse("directive", "a line that starts with '%' is a directive, which is not served; indent or quote it")

    def fetch_alias(self) -> None:
        self._refuse("alias", "'*' starts an alias, which is not served; quote the value")

    def fetch_anchor(self) -> None:
        self._refuse("anchor", "'&' starts an anchor, which is not served; quote the value")

    def fetch_tag(self) -> None:
        self._refuse("tag", "'!' starts a tag, which is not served; quote the value")

    def _bound(self, levels: int) -> None:
        # coarse by a level or two, to stop hostile text early; the loader counts exactly
        if levels > MAX_DEPTH + 1:
            self._refuse("too_deep", f"more than {MAX_DEPTH} levels of nesting; flatten the value")

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.buffer, self.pointer)
        length = match.end() - self.pointer if match else 0
        taken = self.prefix(length)
        self.forward(length)
        return taken

    def _refuse_tab(self) -> NoReturn:
        self._refuse("tab_indentation", "a tab in the indentation; indent with spaces")

    def _refuse(self, code: str, detail: str, mark: Mark | None = None) -> NoReturn:
        line, column = (self.line, self.column) if mark is None else (mark.line, mark.column)
        raise YamlRefused(code, detail, line + 1, column + 1)
