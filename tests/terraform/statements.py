"""The statements of the policy documents, with what stands in dynamic blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.terraform.sources import folders, resources

DOCUMENTS = ("aws_iam_policy_document", "minio_iam_policy_document")


@dataclass(frozen=True, slots=True)
class Condition:
    test: str
    variable: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, and where it stands: `folder` and the name of its document."""

    folder: str
    document: str
    sid: str
    effect: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: tuple[Condition, ...]

    @property
    def place(self) -> str:
        return f"{self.folder}:{self.document}:{self.sid}"


def statements() -> list[Statement]:
    """Every statement of every document."""
    return [
        _statement(folder, name, body)
        for folder in folders()
        for kind in DOCUMENTS
        for name, document in resources(folder, kind, "data").items()
        for body in _blocks(document, "statement")
    ]


def of(folder: str, document: str) -> list[Statement]:
    """The statements of one document; never none."""
    found = [one for one in statements() if (one.folder, one.document) == (folder, document)]
    assert found, f"{folder} has no document {document}"
    return found


def _statement(folder: str, document: str, body: dict[str, Any]) -> Statement:
    conditions = tuple(
        Condition(block["test"], block["variable"], _texts(block["values"])) for block in _blocks(body, "condition")
    )
    return Statement(
        folder,
        document,
        body["sid"],
        body.get("effect", "Allow"),
        _texts(body["actions"]),
        _texts(body["resources"]) if "resources" in body else (),
        conditions,
    )


def _blocks(body: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """Blocks of a name, written out or made by a dynamic block."""
    yield from body.get(name, [])
    for row in body.get("dynamic", []):
        for label, made in row.items():
            if label == name:
                yield from made["content"]


def _texts(value: object) -> tuple[str, ...]:
    """A list of texts, or the one expression that gives a list."""
    return tuple(str(one) for one in value) if isinstance(value, list) else (str(value),)
