"""What makes a frontmatter fit to be served: every rule it breaks, in words for its author.

One invalid entry makes strict clients drop the whole list they got it in, so what breaks a rule is
not served at all. Judges values, not text: lines and columns are gone by then.

Source: agentskills.io specification, Frontmatter fields.
"""

import re
from collections.abc import Callable, Mapping

from gateway.skill.model import Frontmatter, Json, Problem, SkillPath

MAX_NAME_LENGTH = 64
MAX_DESCRIPTION_LENGTH = 1024
MAX_COMPATIBILITY_LENGTH = 500
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

_Fault = tuple[str, str]
"""A code and a sentence."""


def frontmatter_problems(path: SkillPath, frontmatter: Frontmatter) -> list[Problem]:
    """Every rule the frontmatter of the skill at `path` breaks; empty when it is fit.

    Lengths are in code points. Fields that the specification does not name pass as written.
    """
    faults = [_name_fault(path, frontmatter.get("name")), _description_fault(frontmatter.get("description"))]
    faults += [check(frontmatter[field]) for field, check in _OPTIONAL.items() if field in frontmatter]
    return [Problem(path, *fault) for fault in faults if fault]


def is_skill_name(segment: str) -> bool:
    """Whether a path segment can be the name of a skill."""
    return len(segment) <= MAX_NAME_LENGTH and _NAME.fullmatch(segment) is not None


def _name_fault(path: SkillPath, name: Json) -> _Fault | None:
    if name is None:
        return "name_missing", "there is no 'name'; add the name of the skill's directory"
    if not isinstance(name, str):
        return "name_not_text", f"'name' is {_kind(name)}, needs text; quote it"
    if not is_skill_name(name):
        expected = f"1 to {MAX_NAME_LENGTH} of a-z and 0-9, single hyphens between them"
        return "name_invalid", f"'name' is {_shown(name)}, needs {expected}; rename the skill"
    directory = path.rpartition("/")[2]
    if name != directory:
        return "name_mismatch", f"'name' is {_shown(name)} in a directory {_shown(directory)}; rename one of them"
    return None


def _description_fault(description: Json) -> _Fault | None:
    if description is None:
        return "description_missing", "there is no 'description'; say what the skill does and when to use it"
    if not isinstance(description, str):
        return "description_not_text", f"'description' is {_kind(description)}, needs text; quote it"
    if not description.strip():
        return "description_blank", "'description' is blank; say what the skill does and when to use it"
    if len(description) > MAX_DESCRIPTION_LENGTH:
        expected = f"needs at most {MAX_DESCRIPTION_LENGTH}; move text to the body"
        return "description_too_long", f"'description' has {len(description)} characters, {expected}"
    return None


def _license_fault(value: Json) -> _Fault | None:
    if isinstance(value, str):
        return None
    return "license_not_text", f"'license' is {_kind(value)}, needs text; quote it, or remove the field"


def _compatibility_fault(value: Json) -> _Fault | None:
    if not isinstance(value, str):
        return "compatibility_not_text", f"'compatibility' is {_kind(value)}, needs text; quote it, or remove the field"
    if 1 <= len(value) <= MAX_COMPATIBILITY_LENGTH:
        return None
    expected = f"needs 1 to {MAX_COMPATIBILITY_LENGTH}; shorten it, or remove the field"
    return "compatibility_length", f"'compatibility' has {len(value)} characters, {expected}"


def _allowed_tools_fault(value: Json) -> _Fault | None:
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(tool, str) for tool in value)):
        return None
    found = _kind(value) if not isinstance(value, list) else "a list with something that is no text"
    return "allowed_tools_invalid", f"'allowed-tools' is {found}, needs text or a list of texts; quote the values"


def _metadata_fault(value: Json) -> _Fault | None:
    if not isinstance(value, Mapping):
        return "metadata_not_mapping", f"'metadata' is {_kind(value)}, needs a mapping of texts"
    for key, item in value.items():
        if not isinstance(item, str):
            return "metadata_not_text", f"'metadata' has {_kind(item)} under {_shown(key)}, needs text; quote it"
    return None


_OPTIONAL: dict[str, Callable[[Json], _Fault | None]] = {
    "license": _license_fault,
    "compatibility": _compatibility_fault,
    "allowed-tools": _allowed_tools_fault,
    "metadata": _metadata_fault,
}


def _kind(value: Json) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "a boolean (true or false)"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, Mapping) else "text"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
