"""What is wrong with a setting, in one line: name as written, value seen, what is expected.

Pure. A value that may hold a secret is never shown: of a key only its length, of a URL all but its
user part.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gateway.policy.rule import Rule
from gateway.settings.model import Settings
from gateway.settings.variants import Variant

_MAX_SHOWN = 120
_USER_PART = re.compile(r"//[^/@]*@")
_SECRET_FIELDS = frozenset({"cursor_keys", "api_keys", "page_client_secret"})


@dataclass(frozen=True, slots=True)
class Layer:
    """Values from one place; `file` is the path of a file layer."""

    kind: Literal["flag", "file", "environment"]
    values: Mapping[str, Any]
    file: str = ""

    def spell(self, name: str) -> str:
        """A setting's name as a user of this layer writes it."""
        match self.kind:
            case "flag":
                return f"--{_dashed(name)}"
            case "file":
                return f"{self.file}: {name}"
            case "environment":
                return variable(name)


def variable(name: str) -> str:
    return "GATEWAY_" + name.upper()


def describe(row: ErrorDetails, layers: Sequence[Layer]) -> str:
    """One wrong setting. `layers` from the strongest to the weakest, as they were merged."""
    name, *rest = (str(part) for part in row["loc"])
    index = f"[{rest[0]}]" if rest and rest[0].isdigit() else "".join(f".{part}" for part in rest if part != "[key]")
    if row["type"] == "missing":
        meaning = Settings.model_fields[name].description
        return f"{variable(name)} is not set: set it, {name} in gateway.toml, or --{_dashed(name)} ({meaning})"
    layer = next((layer for layer in layers if name in layer.values), Layer("environment", {}))
    text = _text(row, name, in_list=bool(rest))
    if name in _SECRET_FIELDS:
        return f"{layer.spell(name)}{index} {text}"
    return f"{layer.spell(name)}{index} is {shown(row['input'])}: {text}"


def unknown(spelled: str, name: str, kind: Literal["file", "environment"]) -> str:
    """A name that is no setting, with the closest one that is."""
    close = get_close_matches(name.lower().replace("-", "_"), Settings.model_fields, n=1)
    hint = f"; did you mean {close[0] if kind == 'file' else variable(close[0])}?" if close else ""
    if kind == "environment" and re.fullmatch(r"service_(host|port.*)|port_\d+_.*", name):
        # https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
        hint = "; Kubernetes sets it for a Service called gateway: set enableServiceLinks to false in the pod"
    return f"{spelled} is no setting{hint}"


def expected(field: FieldInfo) -> str:
    """What a value of this type must be, to follow 'needs'."""
    bounds = field.metadata
    low = next((bound.ge for bound in bounds if isinstance(bound, Ge)), None)
    high = next((bound.le for bound in bounds if isinstance(bound, Le)), None)
    above = next((bound.gt for bound in bounds if isinstance(bound, Gt)), None)
    reach = _reach(low, above, high)
    match field.annotation:
        case kind if kind is bool:
            return "true or false"
        case kind if kind is int:
            return f"a whole number{reach}"
        case kind if kind is float:
            return f"a number{reach}"
        case kind if get_origin(kind) is Literal:
            return "one of " + ", ".join(filter(None, get_args(kind)))
        case kind if get_args(kind)[:1] == (Rule,) or get_origin(kind) is dict:
            return "tables of gateway.toml"
        case kind if get_origin(kind) is tuple:
            return "a list of texts, separated by commas in the environment"
        case _:
            return "a text that is not empty"


def _reach(low: object, above: object, high: object) -> str:
    if above is not None:
        return f" above {above}, at most {high}"
    return f" from {low} to {high}" if high is not None else f" of {low} or more"


def shown(value: object) -> str:
    text = _USER_PART.sub("//***@", repr(value))
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."


def _text(row: ErrorDetails, name: str, *, in_list: bool) -> str:
    cause = row.get("ctx", {}).get("error")
    if row["type"] == "value_error" and cause is not None and str(cause) != "needs a number":
        return str(cause)
    if row["type"] == "extra_forbidden":
        return f"there is no such key; the keys are {', '.join(Variant.model_fields)}"
    if row["type"] == "literal_error" and in_list:
        return f"needs {row.get('ctx', {})['expected']}"
    if in_list:
        return "needs a text"
    return "needs " + expected(Settings.model_fields[name])


def _dashed(name: str) -> str:
    return name.replace("_", "-")
