"""What a reader is told when there is nothing to show. Pure."""

from dataclasses import dataclass

from gateway.errors import (
    BinaryRefused,
    ContentTooLarge,
    CursorRefused,
    GatewayError,
    InvalidUri,
    NotServed,
    StoreUnavailable,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """An HTTP status, a heading, and what to do."""

    status: int
    heading: str
    advice: str


_NOT_HERE = Fault(
    404,
    "Nothing here",
    "There is no such skill or file, or you may not see it. It may have been renamed; search the catalogue.",
)
_FAULTS: tuple[tuple[type[GatewayError], Fault], ...] = (
    (NotServed, _NOT_HERE),
    (InvalidUri, _NOT_HERE),
    (BinaryRefused, Fault(404, "Not served", "This file is no text, and this server sends text only.")),
    (ContentTooLarge, Fault(404, "Too large", "This file is larger than what this server sends at once.")),
    (CursorRefused, Fault(400, "This address is no longer good", "Begin again at the first page of the catalogue.")),
    (
        StoreUnavailable,
        Fault(503, "The store does not answer", "Try again in a minute. Who runs this finds why in its log."),
    ),
)
BROKEN = Fault(500, "This did not work", "The log of the server says why. Try again; if it stays, tell who runs this.")


def fault_of(error: GatewayError) -> Fault:
    """Never with the text of the error, which is for the log."""
    return next((fault for kind, fault in _FAULTS if isinstance(error, kind)), BROKEN)
