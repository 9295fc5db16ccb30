"""Reading the layers: environment, then `gateway.toml`, then flags; a later one wins.

Everything that is wrong is reported at once, each by the name the user wrote, with the value seen
and what is expected. A name that is no setting is refused, because a typo must not be silent.


"""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource

from gateway.errors import SettingsError
from gateway.settings.faults import Layer, describe, shown, unknown
from gateway.settings.model import Settings

PREFIX = "GATEWAY_"
DEFAULT_FILE = "gateway.toml"
_CONFIG = "GATEWAY_CONFIG"
_TABLES = ("rules", "variants")
"""Settings that are JSON in the environment."""
# Read by the tests of this package, never by the gateway.
_TEST_NAMES = ("GATEWAY_TEST_", "GATEWAY_REQUIRE_SHARED", "GATEWAY_SKIP_NPM")


def load_settings(config: Path | None = None, **flags: object) -> Settings:
    """The settings of this process.

    `config` is the file a flag named; without it GATEWAY_CONFIG, then `./gateway.toml` when there is
    one. A flag that is None was not given. Raises SettingsError, one message for all that is wrong.
    """
    faults = [fault for name in os.environ if (fault := _unknown_variable(name))]
    layers = [_flags(flags), Layer("file", {}), _environment()]
    try:
        layers[1], unknown_keys = _read_file(config)
        faults += unknown_keys
        is_complete = True
    except SettingsError as error:
        faults.append(str(error))
        is_complete = False
    merged: dict[str, object] = {}
    for layer in reversed(layers):
        merged |= layer.values
    try:
        settings = Settings(**merged)  # pyright: ignore[reportArgumentType]  (checked by pydantic, right here)
    except ValidationError as error:
        # With the file unreadable, what is missing may well be in it.
        faults += [describe(row, layers) for row in error.errors() if is_complete or row["type"] != "missing"]
        raise SettingsError(_one_message(faults)) from None
    if faults:
        raise SettingsError(_one_message(faults))
    return settings


def _one_message(faults: list[str]) -> str:
    if len(faults) == 1:
        return faults[0]
    return "\n  - ".join([f"{len(faults)} settings are wrong:", *faults])


def _flags(flags: Mapping[str, object]) -> Layer:
    return Layer("flag", {name: value for name, value in flags.items() if value is not None})


def _environment() -> Layer:
    for name in _TABLES:
        spelled = f"{PREFIX}{name.upper()}"
        text = os.environ.get(spelled)
        try:
            json.loads(text or "{}")
        except ValueError as error:
            hint = f"write it in {DEFAULT_FILE}, as tables"
            raise SettingsError(f"{spelled} is {shown(text)}: not JSON ({error}); {hint}") from None
    return Layer("environment", EnvSettingsSource(Settings)())


def _unknown_variable(name: str) -> str | None:
    if not name.upper().startswith(PREFIX) or name == _CONFIG or name.startswith(_TEST_NAMES):
        return None
    field = name[len(PREFIX) :].lower()
    return None if field in Settings.model_fields else unknown(name, field, "environment")


def _read_file(config: Path | None) -> tuple[Layer, list[str]]:
    """The layer of the file, and a fault for each key that is no setting."""
    named = config or Path(os.environ.get(_CONFIG) or DEFAULT_FILE)
    if config is None and not os.environ.get(_CONFIG) and not named.exists():
        return Layer("file", {}), []
    values = _parse(named)
    strange = [name for name in values if name not in Settings.model_fields]
    faults = [unknown(f"{name!r} in {named}", name, "file") for name in strange]
    return Layer("file", {name: values[name] for name in values if name not in strange}, str(named)), faults


def _parse(path: Path) -> dict[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read ({error.strerror}); name another file with {_CONFIG} or --config"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(f"{path}, line {line}: not UTF-8, which TOML is written in") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not TOML: {error}{_hint(text, str(error))}") from None


def _hint(text: str, said: str) -> str:
    """Whose value is wrong and why it may be; never the value, which may be a secret."""
    found = re.search(r"at line (\d+)", said)
    line = text.split("\n")[int(found[1]) - 1] if found else ""
    key = re.match(r"\s*([A-Za-z0-9_.-]+)\s*=", line)
    return f", the value of {key[1]}; a text needs quotes, true and false are lower-case" if key else ""
