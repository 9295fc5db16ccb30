"""Print the lowest declared version of every dependency as a requirements file (`>=` becomes `==`).

Backs `make test-lowest`. Extras of the package itself are covered, so that the tests run on the
lowest versions of their own tools too. Source: pyproject.toml, and PEP 508 for the lines in it.
"""

import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def lowest_bounds(pyproject: str) -> list[str]:
    """The requirements of `pyproject` pinned to their lower bounds, each once, sorted.

    Raises ValueError for a requirement without exactly one `>=`: its lowest version is unknown.
    """
    project = tomllib.loads(pyproject)["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return sorted({_pin(requirement) for group in groups for requirement in group})


def _pin(requirement: str) -> str:
    bounds, separator, marker = requirement.partition(";")
    name, _, version = bounds.partition(">=")
    if not version or "," in version:
        raise ValueError(f"{requirement!r} in pyproject.toml needs one lower bound and no other: NAME>=VERSION")
    return f"{name.strip()}=={version.strip()}{separator}{marker}"


if __name__ == "__main__":
    print("\n".join(lowest_bounds(PYPROJECT.read_text())))
