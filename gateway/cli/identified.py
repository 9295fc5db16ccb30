"""HTTP/1.1 as uvicorn speaks it, with an id for each request that every answer to it carries.

The id is the client's, or the proxy's, when it is a plain word; it is good for nothing but to find lines that belong
together, so that anybody may choose it.
"""

import re
import secrets
from itertools import count

from gateway.audit.request import request_id
from gateway.cli.bounds import BoundedProtocol

_NAME = b"x-request-id"
_PLAIN = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_START = secrets.token_hex(6)
_numbers = count()


class IdentifiedProtocol(BoundedProtocol):
    """uvicorn's own protocol, with `request_id` set where a request is served."""

    def on_headers_complete(self) -> None:
        name = self._name()
        # The task that serves the request takes its context from here.
        request_id.set(name)
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            # Not begun yet: it is served in a later turn of the loop.
            self.cycle.default_headers = [*self.cycle.default_headers, (_NAME, name.encode())]

    def _name(self) -> str:
        for name, value in self.headers:
            if name == _NAME:
                return value.decode() if _PLAIN.fullmatch(value) else _new()
        return _new()


def _new() -> str:
    return f"{_START}{next(_numbers):08x}"
