"""Plain scalars by the core schema of YAML 1.2.

The value agent hosts compare with: `yes`, `1:30`, `1_000`, `0b11`, dates and `<<` are text, `010`
is ten, `0o17` fifteen. Refuses numbers that JSON cannot carry between languages without loss.

Source: YAML 1.2.2 section 10.3.2 (tag resolution); RFC 8259 section 6 (integers up to 2^53-1).
"""

import math
import re

MAX_INTEGER = 2**53 - 1
_MAX_DIGITS = 20  # more than 2^53-1 has in any base but eight, and few enough for int() at once
_MAX_OCTAL_DIGITS = 18

_CONSTANTS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o([0-7]+)")
_HEXADECIMAL = re.compile(r"0x([0-9a-fA-F]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class UnfitNumber(ValueError):
    """A number that JSON cannot carry: NaN, an infinity, an integer beyond 2^53-1."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def plain_value(text: str) -> bool | int | float | str | None:
    """Value of a plain (unquoted) scalar.

    A number written with a point or an exponent stays a float, and so does `-0`, whose sign an
    integer would lose. Raises UnfitNumber.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return _decimal(text)
    if match := _OCTAL.fullmatch(text):
        return _integer(match[1], 8, _MAX_OCTAL_DIGITS)
    if match := _HEXADECIMAL.fullmatch(text):
        return _integer(match[1], 16, _MAX_DIGITS)
    if _FLOAT.fullmatch(text):
        return _finite(text)
    if _NOT_FINITE.fullmatch(text):
        raise _not_finite(text)
    return text


def _decimal(text: str) -> int | float:
    magnitude = _integer(text.lstrip("+-"), 10, _MAX_DIGITS)
    if text[0] != "-":
        return magnitude
    return -magnitude if magnitude else -0.0


def _integer(digits: str, base: int, max_digits: int) -> int:
    significant = digits.lstrip("0") or "0"
    # int() is slow on thousands of digits, and refuses them past 4,300
    value = int(significant, base) if len(significant) <= max_digits else MAX_INTEGER + 1
    if value > MAX_INTEGER:
        detail = f"the integer {_shown(digits)} is beyond {MAX_INTEGER}, which hosts read inexactly; quote it"
        raise UnfitNumber("integer_too_large", detail)
    return value


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _not_finite(text)
    return value


def _not_finite(text: str) -> UnfitNumber:
    return UnfitNumber("not_finite", f"{_shown(text)} is no finite number, and JSON has no other; quote it")


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
