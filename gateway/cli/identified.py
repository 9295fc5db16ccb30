"""HTTP/1.1 as uvicorn speaks it, with an id for each request that every answer to it carries.

The id is the client's, or the proxy's, when it is a plain word; it is good for nothing but to find lines that belong
together, so that anybody may choose it.
"""

import re
import secrets
from itertools import count

from gateway.audit.request import request_name
from gateway.cli.bounds import BoundedProtocol

_NAME = b"x-request-id"
_PLAIN = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_START = secrets.token_hex(6).encode()
_numbers = count()


class IdentifiedProtocol(BoundedProtocol):
    """uvicorn's own protocol, with `request_name` set where a request is served."""

    def on_headers_complete(self) -> None:
        for name, value in self.headers:
            if name == _NAME and _PLAIN.fullmatch(value):
                break
        else:
            value = b"%s%08x" % (_START, next(_numbers))
        # The task that serves the request takes its context from here.
        request_name.set(value)
        before = self.cycle
        super().on_headers_complete()
        if (cycle := self.cycle) is not before:
            # Not begun yet: it is served in a later turn of the loop.
            cycle.default_headers = [*cycle.default_headers, (_NAME, value)]
