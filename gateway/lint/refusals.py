"""What the gateway refuses, as findings at the line an author must change.

The rules that judge a frontmatter see values, not text; here the place of the field is looked up again.
"""

from collections.abc import Mapping

from gateway.lint.finding import RULES, Finding
from gateway.lint.frontmatter import parsed
from gateway.lint.spots import Keys, key_spot, spots_of
from gateway.skill.model import SKILL_MD, Json, Problem

_FIELDS = ("name", "description", "license", "compatibility", "allowed-tools", "metadata")
_TOP = (1, 1)


def refusal_finding(problem: Problem, texts: Mapping[str, bytes]) -> Finding:
    """A problem of the serving code: an error, unless it is one of the rules with a severity of their own."""
    path = f"{problem.where}/{SKILL_MD}"
    data = texts.get(path)
    if data is None:
        path, line, column = problem.where, 0, 0
    else:
        line, column = (problem.line, problem.column) if problem.line else _place(problem.code, data)
    return Finding(path, line, column, problem.code, RULES.get(problem.code, "error"), problem.detail)


def _place(code: str, data: bytes) -> tuple[int, int]:
    if code == "not_utf8":
        return _undecodable(data)
    field = next((field for field in _FIELDS if code.startswith(field.replace("-", "_") + "_")), None)
    found = parsed(data)
    if field is None or found is None:
        return _TOP
    text, value = found
    spots = spots_of(text)
    spot = key_spot(spots, _culprit(field, value)) or key_spot(spots, (field,))
    return (spot.line, spot.column) if spot else _TOP


def _culprit(field: str, value: dict[str, Json]) -> Keys:
    inner = value.get(field)
    if field == "metadata" and isinstance(inner, dict):
        return (field, *[key for key, item in inner.items() if not isinstance(item, str)][:1])
    return (field,)


def _undecodable(data: bytes) -> tuple[int, int]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
        return data.count(b"\n", 0, error.start) + 1, len(before.decode()) + 1
    return _TOP
