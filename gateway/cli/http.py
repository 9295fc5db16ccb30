"""HTTP/1.1 as uvicorn speaks it, with the head and the body of an answer in one write.

uvicorn writes them one after the other, and uvloop sends each at once: two system calls and two
packets for what is one answer most of the time. Here what is written first waits for what follows it in
the same turn of the event loop.
"""

import asyncio
from typing import Any, cast

from gateway.cli.identified import IdentifiedProtocol


class OneWriteProtocol(IdentifiedProtocol):
    """uvicorn's own protocol over a transport that joins writes."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        joining = JoiningTransport(transport, asyncio.get_running_loop())
        super().connection_made(cast("asyncio.Transport", joining))


class JoiningTransport:
    """A transport that holds one write back until the next one, or to the end of this turn of the loop."""

    __slots__ = ("_held", "_loop", "_transport", "is_closing")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held = b""
        self.is_closing = transport.is_closing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held + data)
        elif data:
            self._held = data
            self._loop.call_soon(self.flush)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """What comes next may write past us."""
        self.flush()
        self._transport.set_protocol(protocol)

    def flush(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)
