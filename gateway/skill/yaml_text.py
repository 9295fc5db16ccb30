"""The text of a YAML document before any scanning, and what a refusal of one says.

Refuses what no scanner of ours may see: control characters (PyYAML's scanner takes NUL for the end
of the text), lone surrogates, lone carriage returns, noncharacters, too much text. Knows no
frontmatter: positions count from 1 in the text itself.

Source: YAML 1.2.2 section 5.1 (character set), 5.4 (line breaks).
"""

import re

from gateway.errors import GatewayError

MAX_TEXT_BYTES = 64 * 1024

_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


class YamlRefused(GatewayError):
    """A YAML text that is not served. `code` is a stable word, `line` and `column` count from 1."""

    reason = "yaml_refused"

    def __init__(self, code: str, detail: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{line}:{column}: {detail} [{code}]")
        self.code = code
        self.detail = detail
        self.line = line
        self.column = column


def fit_text(text: str) -> str:
    """The text without a leading BOM, with LF line breaks, its last line closed.

    Raises YamlRefused for a character or a size that is not served.
    """
    fit = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if unfit := _UNFIT.search(fit):
        line, column = _position(fit, unfit.start())
        raise YamlRefused(*_fault_of(unfit.group()), line, column)
    size_bytes = len(fit.encode())
    if size_bytes > MAX_TEXT_BYTES:
        detail = f"the frontmatter has {size_bytes} bytes, at most {MAX_TEXT_BYTES} are read; move text to the body"
        raise YamlRefused("frontmatter_too_large", detail)
    return fit if fit.endswith("\n") else fit + "\n"


def _position(text: str, index: int) -> tuple[int, int]:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _fault_of(character: str) -> tuple[str, str]:
    name = f"U+{ord(character):04X}"
    if character == "\r":
        return "lone_cr", "a carriage return without a line feed; end lines with LF or CRLF"
    if "\ud800" <= character <= "\udfff":
        return "lone_surrogate", f"{name} is a lone surrogate, which has no UTF-8 form; remove it"
    if character in "\ufffe\uffff":
        return "noncharacter", f"{name} is no character; remove it"
    return "control_character", f"{name} is a control character; remove it"
