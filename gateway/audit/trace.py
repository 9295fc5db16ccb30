"""What becomes known of an answer while it is made: filled on the way, read by whoever asked for it.

One trace for each request, found through its context, so that what lies between (a view, a choice of
sources) hands on answers and need not know. Without one that is open, what is said of an answer is lost.
"""

from contextvars import ContextVar

from gateway.provider import Caller, Origin


class Trace:
    """Of one request; everything but its caller is None until somebody knows it."""

    __slots__ = ("caller", "digest", "items", "origin", "refusal", "size_bytes", "uri")

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.origin: Origin | None = None
        self.digest: str | None = None
        self.size_bytes: int | None = None
        self.items: int | None = None
        self.uri: str | None = None
        """What was asked for, where the request does not name it by a URI."""
        self.refusal: str | None = None
        """The reason of an error that is told as a result."""

    @property
    def release(self) -> str | None:
        return None if self.origin is None else self.origin.release


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def open_trace(caller: Caller) -> Trace:
    """A new trace, which takes the place of the one before in this context."""
    trace = Trace(caller)
    _current.set(trace)
    return trace


def current_trace() -> Trace | None:
    return _current.get()


def forget_trace() -> None:
    _current.set(None)


def answered_from(origin: Origin | None) -> None:
    """For a provider, while it answers: where the answer comes from. Said more than once, the last one counts."""
    trace = _current.get()
    if trace is not None:
        trace.origin = origin
