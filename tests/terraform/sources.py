"""The Terraform files, read with python-hcl2: what stands in them, and not what a plan would make of it.

A text is the text, with its `${...}` left in; any other expression is a text that is one `${...}`.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hcl2

ROOT = Path(__file__).parents[2] / "terraform"
_AS_VALUES = hcl2.SerializationOptions(with_comments=False, explicit_blocks=False, strip_string_quotes=True)


def files() -> list[str]:
    """Every file of Terraform, from the folder terraform/ on; what `terraform init` leaves is none."""
    found = [path.relative_to(ROOT) for pattern in ("*.tf", "*.tftest.hcl") for path in ROOT.rglob(pattern)]
    return sorted(path.as_posix() for path in found if ".terraform" not in path.parts)


def folders() -> list[str]:
    """Root, modules and examples: each folder with a main.tf; the root is `.`."""
    return sorted(Path(name).parent.as_posix() for name in files() if Path(name).name == "main.tf")


def modules() -> list[str]:
    """Root and modules, without the examples."""
    return [folder for folder in folders() if not folder.startswith("examples/")]


@cache
def parsed(name: str) -> dict[str, Any]:
    """One file. Raises lark's errors when it is no HCL."""
    with (ROOT / name).open(encoding="utf-8") as file:
        return hcl2.load(file, serialization_options=_AS_VALUES)


def text(folder: str) -> str:
    """All Terraform of one folder, as written."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).glob("*.tf")))


def blocks(folder: str, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The blocks of a kind with one label (variable, output, module), with that label."""
    for path in sorted((ROOT / folder).glob("*.tf")):
        for row in parsed(path.relative_to(ROOT).as_posix()).get(kind, []):
            yield from row.items()


def resources(folder: str, type_name: str, kind: str = "resource") -> dict[str, dict[str, Any]]:
    """Resources, or data sources, of a type by name."""
    found: dict[str, dict[str, Any]] = {}
    for label, body in blocks(folder, kind):
        if label == type_name:
            found |= body
    return found
