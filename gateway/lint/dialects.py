"""What the YAML dialects make of one plain scalar.

YAML 1.2 core is what the gateway publishes. PyYAML keeps to 1.1, js-yaml 4 to 1.2 with dates, merge keys
and underscores in numbers: a value they read differently reaches some hosts as something else.

Source: YAML 1.2.2 section 10.3.2; YAML 1.1 type repository (bool); js-yaml 4 `lib/type`.
"""

import math
import re
from datetime import date

from yaml import SafeLoader, ScalarNode
from yaml.constructor import SafeConstructor
from yaml.error import YAMLError

from gateway.skill.yaml_scalars import UnfitNumber, plain_value

_YAML11_ONLY = {"y": "true", "Y": "true", "n": "false", "N": "false"}  # in the 1.1 text, not in PyYAML
_JS_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?",
    re.ASCII,
)
_JS_RADIX = re.compile(r"([-+]?)0(?:b[01_]+|x[0-9a-fA-F_]+|o[0-7_]+)")
_JS_NUMBER = re.compile(
    r"[-+]?\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?|\.[\d_]+(?:[eE][-+]?\d+)?", re.ASCII
)  # no sign before a leading point
_CORE_ONLY = re.compile(r"~|0x[0-9a-fA-F]+")
_LONGEST = 64


def disagreement(text: str) -> str | None:
    """How dialects read a plain scalar, as a sentence, when they differ; None when they do not.

    None also for what YAML 1.2 reads as a number that is refused, since that is an error by itself.
    """
    if not text or len(text) > _LONGEST:
        return None
    try:
        core = _phrase(plain_value(text))
    except UnfitNumber:
        return None
    yaml11, js = _yaml11(text), _js_yaml(text)
    if core != yaml11 or core != js:
        return f"{text!r} is {core} to YAML 1.2, {yaml11} to YAML 1.1 (PyYAML), {js} to js-yaml 4; quote this value"
    if _CORE_ONLY.fullmatch(text):
        return f"{text!r} is {core} by YAML's core schema, and text or an error by its JSON schema; quote this value"
    return None


def _yaml11(text: str) -> str:
    if text in _YAML11_ONLY:
        return _YAML11_ONLY[text]
    tag = _yaml11_tag(text)
    if tag == "tag:yaml.org,2002:merge":
        return "a merge key"
    try:
        return _phrase(SafeConstructor().construct_object(ScalarNode(tag, text)))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    except (YAMLError, ValueError):
        return "an error"


def _yaml11_tag(text: str) -> str:
    for tag, pattern in SafeLoader.yaml_implicit_resolvers.get(text[0], ()):
        if pattern.match(text):
            return tag
    return "tag:yaml.org,2002:str"


def _js_yaml(text: str) -> str:
    if text == "<<":
        return "a merge key"
    if _JS_DATE.fullmatch(text):
        return "a date"
    if (match := _JS_RADIX.fullmatch(text)) and not text.endswith("_"):
        value = int(match[0].lstrip("+-").replace("_", ""), 0)
        return _phrase(-value if match[1] == "-" else value)
    if _JS_NUMBER.fullmatch(text) and not text.endswith("_"):
        return _phrase(float(text.replace("_", "")))
    constant = plain_value(text)
    # only constants are left that js-yaml shares with the core schema
    return _phrase(constant if constant is None or isinstance(constant, bool) else text)


def _phrase(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and (math.isinf(value) or math.isnan(value)):
        return f"the number {value}"
    if isinstance(value, int | float):
        return f"the number {int(value) if value == int(value) else value}"
    return "a date" if isinstance(value, date) else "text"
