"""The id of the request that is being served, by which its answer, its log lines and its audit line find together."""

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""Empty outside of a request, and in a program that serves HTTP by other means."""
