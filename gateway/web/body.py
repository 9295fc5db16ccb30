"""The body of a request, read whole: a `receive` that gives it once, and its JSON, parsed once.

Whoever sits behind the guard gets it as its `receive`, and may look at the body without taking it away.
orjson parses less than `json` does: NaN, lone surrogates, a byte order mark and UTF-16 are nothing to
it, and an integer past 64 bits becomes a float. Whoever minds the difference parses again.
"""

import orjson
from starlette.types import Message, Receive


class Unread:
    """What stands for JSON that orjson does not take."""


UNREAD = Unread()


class Body:
    """A body of `data`, and then what `receive` really gives."""

    __slots__ = ("_decoded", "_is_given", "_receive", "data")

    def __init__(self, data: bytes, receive: Receive) -> None:
        self.data, self._receive = data, receive
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
