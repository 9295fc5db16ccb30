"""What the guard hands on: the header fields by name, and the body, read whole and parsed once.

Whoever sits behind the guard gets the body as its `receive`, and may look at the body without taking it away.
orjson parses less than `json` does: NaN, lone surrogates, a byte order mark and UTF-16 are nothing to
it, and an integer past 64 bits becomes a float. Whoever minds the difference parses again.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson
from starlette.types import Message, Receive

if TYPE_CHECKING:
    from gateway.web.plain import PlainRequest


class Fields:
    """Header fields by name; of one that comes more than once, the first, and the name in `repeated`."""

    __slots__ = ("get", "repeated")

    def __init__(self, headers: Sequence[tuple[bytes, bytes]]) -> None:
        first = dict(reversed(headers))
        self.get = first.get
        self.repeated = _NONE if len(first) == len(headers) else _repeated(headers)


def _repeated(headers: Sequence[tuple[bytes, bytes]]) -> frozenset[bytes]:
    names = [name for name, _ in headers]
    return frozenset(name for name in names if names.count(name) > 1)


_NONE = frozenset[bytes]()


class Unread:
    """What stands for JSON that orjson does not take."""


UNREAD = Unread()


class Body:
    """A body of `data` that came with `fields`, and then what `receive` really gives.

    `plain` is the plain request that it is, once that is known.
    """

    __slots__ = ("_decoded", "_is_given", "_receive", "data", "fields", "plain")

    def __init__(self, data: bytes, receive: Receive, fields: Fields, plain: "PlainRequest | None" = None) -> None:
        self.data, self._receive, self.fields, self.plain = data, receive, fields, plain
        self._is_given = False
        self._decoded: object = self

    async def __call__(self) -> Message:
        if self._is_given:
            return await self._receive()
        self._is_given = True
        return {"type": "http.request", "body": self.data, "more_body": False}

    @property
    def decoded(self) -> object:
        """The JSON value, or UNREAD."""
        if self._decoded is self:
            try:
                self._decoded = orjson.loads(self.data)
            except ValueError:
                self._decoded = UNREAD
        return self._decoded
