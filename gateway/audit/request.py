"""The id of the request that is being served, by which its answer, its log lines and its audit line find together."""

from contextvars import ContextVar

request_name: ContextVar[bytes] = ContextVar("request_name", default=b"")
"""As it is sent, plain ASCII: every request has one, and hardly any is read. Empty outside of a request."""


def current_request_id() -> str:
    """The id; empty outside of a request, and in a program that serves HTTP by other means."""
    return request_name.get().decode("ascii")
