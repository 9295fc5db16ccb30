"""A rule as it is written: one `[[rules]]` table of gateway.toml. Pure.

What is odd about it raises ValueError with the rest of a sentence that begins with the place of the
table ("gateway.toml: rules[0] has ..."): the key, the value seen, what was expected, what to do. An empty
list is refused, as it may be meant as nobody and would be read as everybody.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import cast

from gateway.policy.globs import glob_fault
from gateway.policy.rule import Rule

_KEYS = ("paths", "variants", "scopes", "groups", "keys", "claims", "default_variant")
_LEAVE_OUT = "leave it out when it does not matter"
_MAX_SHOWN = 120


def parse_rule(table: Mapping[str, object]) -> Rule:
    """The rule of a table; a text where a list is meant is a list of one. Raises ValueError."""
    for key in table:
        if key not in _KEYS:
            close = get_close_matches(key, _KEYS, n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(_KEYS)}"
            raise ValueError(f"has {_shown(key)}, which is no key of a rule{hint}")
    if "paths" not in table:
        raise ValueError('has no paths, needs those of the skills it shows; write paths = ["acme/**"]')
    if "keys" in table and ("groups" in table or "claims" in table):
        other = "groups" if "groups" in table else "claims"
        raise ValueError(f"has keys and {other}, so it never holds: an API key has no {other}; make two rules of it")
    return Rule(
        paths=_paths(table["paths"]),
        variants=_list(table, "variants"),
        scopes=_scopes(table),
        groups=_list(table, "groups"),
        keys=_list(table, "keys"),
        claims=_claims(table["claims"]) if "claims" in table else {},
        default_variant=_text(table["default_variant"], "default_variant") if "default_variant" in table else "",
    )


def _paths(value: object) -> tuple[str, ...]:
    paths = _texts(value, "paths", 'write paths = ["**"] for every skill')
    for path in paths:
        if fault := glob_fault(path):
            raise ValueError(f"has {_shown(path)} in paths, which {fault}")
    return paths


def _scopes(table: Mapping[str, object]) -> tuple[str, ...]:
    scopes = _list(table, "scopes")
    for scope in scopes:
        if scope.split() != [scope]:
            raise ValueError(f"has {_shown(scope)} in scopes, and no scope has a blank; write each as its own item")
    return scopes


def _claims(value: object) -> dict[str, tuple[str, ...]]:
    claims = _fields(value)
    if not claims:
        raise ValueError(f'has claims = {_shown(value)}, needs a table of claims; write claims = {{ team = ["acme"] }}')
    for name, wanted in claims.items():
        for inner in _fields(wanted) or ():
            raise ValueError(
                f"has a table as claims.{name}, needs texts; "
                f'quote the name of a claim inside another one: claims = {{ "{name}.{inner}" = ["acme"] }}'
            )
    return {name: _texts(wanted, f"claims.{name}", _LEAVE_OUT) for name, wanted in claims.items()}


def _fields(value: object) -> Mapping[str, object] | None:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None


def _list(table: Mapping[str, object], key: str) -> tuple[str, ...]:
    return _texts(table[key], key, _LEAVE_OUT) if key in table else ()


def _texts(value: object, name: str, when_none: str) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        if not items:
            raise ValueError(f"has {name} = [], needs at least one text; {when_none}")
        return tuple(_text(item, f"{name}[{index}]") for index, item in enumerate(items))
    return (_text(value, name),)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"has {name} = {_shown(value)}, needs a text that is not blank; put it in quotes")
    return value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
