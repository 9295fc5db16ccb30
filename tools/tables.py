"""Write the generated parts of the documents anew: the table of settings, and the help of each command.

Each stands between `<!-- NAME:start -->` and `<!-- NAME:end -->`. `tests/test_readme.py` fails when
they are out of date. Run: make docs
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import cast

from pydantic.fields import FieldInfo

from gateway.cli.main import app
from gateway.settings.faults import expected, variable
from gateway.settings.model import Settings


class Part(StrEnum):
    """The generated parts, by the name in their markers."""

    SETTINGS = "settings"
    COMMANDS = "commands"


def settings_table() -> str:
    """A Markdown table: variable, default, what it must be, what it does."""
    rows = ["| Variable | Default | Value | Meaning |", "| --- | --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        meaning = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{variable(name)}` | {_default(field)} | {_value(name, field)} | {meaning} |")
    return "\n".join(rows)


def commands_table() -> str:
    """A Markdown table: each command with the first line of its help."""
    rows = ["| Command | What it does |", "| --- | --- |"]
    groups = [group.typer_instance for group in app.registered_groups if group.typer_instance]
    for prefix, commands in (("", app), *((f"{group.info.name} ", group) for group in groups)):
        for command in commands.registered_commands:
            assert command.callback is not None
            summary = (command.callback.__doc__ or "").splitlines()[0]
            rows.append(f"| `skills-gateway {prefix}{command.name or command.callback.__name__}` | {summary} |")
    return "\n".join(rows)


TABLES: Mapping[str, tuple[Part, Callable[[], str]]] = {
    "README.md": (Part.COMMANDS, commands_table),
    "docs/settings.md": (Part.SETTINGS, settings_table),
}
"""The files with a generated part."""


def with_table(file: str, text: str) -> str:
    """The text of a file with its generated part as it should be. ValueError when a marker is missing."""
    part, table = TABLES[file]
    pattern = re.compile(rf"(<!-- {part}:start[^>]*-->\n).*?(<!-- {part}:end -->)", re.DOTALL)
    text, count = pattern.subn(lambda found: f"{found[1]}{table()}\n{found[2]}", text)
    if count != 1:
        raise ValueError(f"{file} has {count} parts marked {part}, expected one")
    return text


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", (), {}):
        return "not set"
    if isinstance(value, tuple):
        return f"`{','.join(cast('tuple[str, ...]', value))}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _value(name: str, field: FieldInfo) -> str:
    if name in ("endpoint_url", "public_url"):
        return "a URL"
    value = expected(field)
    return "a text" if value.startswith("a text") else value


if __name__ == "__main__":
    for file in TABLES:
        path = Path(file)
        path.write_text(with_table(file, path.read_text(encoding="utf-8")), encoding="utf-8")
