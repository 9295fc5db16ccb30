"""The tables of inputs and outputs in the READMEs. Write them anew: python -m tests.terraform.tables"""

import json
import re
from typing import Any

from tests.terraform.sources import ROOT, blocks, modules

_PART = re.compile(r"(<!-- variables:start[^>]*-->\n).*?(<!-- variables:end -->)", re.DOTALL)


def tables(folder: str) -> str:
    """Variables with defaults, then outputs, as Markdown."""
    rows = ["| Variable | Default | Meaning |", "| --- | --- | --- |"]
    variables = sorted(blocks(folder, "variable"), key=lambda item: "default" in item[1])
    rows += [f"| `{name}` | {_default(body)} | {_cell(body)} |" for name, body in variables]
    rows += ["", "| Output | Meaning |", "| --- | --- |"]
    rows += [f"| `{name}` | {_cell(body)} |" for name, body in blocks(folder, "output")]
    return "\n".join(rows)


def with_tables(folder: str, readme: str) -> str:
    """The README with its tables as they should be. ValueError when their place is missing."""
    made, count = _PART.subn(lambda found: f"{found[1]}{tables(folder)}\n{found[2]}", readme)
    if count != 1:
        raise ValueError(f"the README of {folder} has {count} places for its tables, expected one")
    return made


def _default(body: dict[str, Any]) -> str:
    return f"`{json.dumps(body['default'])}`" if "default" in body else "needed"


def _cell(body: dict[str, Any]) -> str:
    return str(body["description"]).replace("|", "\\|")


def main() -> None:
    for folder in modules():
        path = ROOT / folder / "README.md"
        path.write_text(with_tables(folder, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
