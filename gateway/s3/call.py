"""What was asked of the store, and how texts about it quote what they were given."""

from dataclasses import dataclass

_MAX_QUOTED = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One call, for the text of an error."""

    operation: str
    bucket: str
    place: str
    key: str | None = None
    region: str | None = None

    def __str__(self) -> str:
        what = f"{self.operation} of {quoted(self.key)}" if self.key is not None else self.operation
        return f"{what} in bucket {self.bucket!r} at {self.place}"


def quoted(text: str) -> str:
    """`text` safe for a line of a log: escaped, and cut where it is long."""
    return repr(text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 3] + "...")
