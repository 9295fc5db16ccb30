"""Fields of a JSON document, each of the kind it must be, or refused by name. Pure."""

from typing import Any, cast

from gateway.errors import ManifestRefused
from gateway.skill.model import Digest
from gateway.skill.rules import is_digest, is_size

_SHOWN_CHARACTERS = 80


class Fields:
    """The fields of one object of a document that is called `what` in errors."""

    def __init__(self, value: object, what: str) -> None:
        if not isinstance(value, dict):
            raise ManifestRefused(f"the {what} is {shown(value)}, needs an object")
        self._fields, self._what = cast("dict[str, Any]", value), what

    def text(self, name: str) -> str:
        return cast("str", self._of(name, str, "a text"))

    def array(self, name: str) -> list[Any]:
        return cast(list[Any], self._of(name, list, "an array"))

    def table(self, name: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self._of(name, dict, "an object"))

    def flag(self, name: str) -> bool:
        return cast("bool", self._of(name, bool, "true or false"))

    def size(self, name: str) -> int:
        value = self._fields.get(name)
        return cast("int", value) if is_size(value) else self._refuse(name, "a whole number from 0 on")

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.array(name)
        return tuple(values) if all(isinstance(value, str) for value in values) else self._refuse(name, "texts")

    def digest(self, name: str) -> Digest:
        value = self.text(name)
        return Digest(value) if is_digest(value) else self._refuse(name, "sha256: and 64 hexadecimal digits")

    def _of(self, name: str, kind: type[object], expected: str) -> object:
        value: object = self._fields.get(name)
        return value if isinstance(value, kind) else self._refuse(name, expected)

    def _refuse(self, name: str, expected: str) -> Any:
        raise ManifestRefused(f"the {self._what} has {name} {shown(self._fields.get(name))}, needs {expected}")


def shown(value: object) -> str:
    """A value as an error shows it, cut to one line."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."
