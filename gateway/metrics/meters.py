"""What is counted when it happens: requests that the SDK answers, and calls to the store."""

from prometheus_client import Counter, Histogram

from gateway.metrics.instruments import (
    CALL_SECONDS,
    CALLS,
    RECEIVED,
    REQUEST_SECONDS,
    REQUESTS,
    RESPONSES,
    RETRIES,
    SENT,
    THROTTLED,
    UNANSWERED,
)

OTHER = "other"
METHODS = frozenset(
    {
        *("skills/list", "skills/get", "resources/list", "resources/read", "resources/templates/list"),
        *("resources/directory/read", "tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete"),
        *("initialize", "server/discover", "ping", "subscriptions/listen", "notifications/initialized"),
    }
)
"""Methods with a label of their own; a client may send any text as one."""
_STREAMS = "subscriptions/listen"
"""Ends when its listener goes, so that it has no latency."""


def method_label(method: str) -> str:
    return method if method in METHODS else OTHER


class RequestMeter:
    """Counts requests of one variant that the SDK answered."""

    def __init__(self, variant: str) -> None:
        self._variant = variant
        # What `labels` finds costs more than to count it.
        self._counters = dict[tuple[str, bool, str], Counter]()
        self._seconds = dict[str, Histogram]()

    def __call__(self, method: str, is_modern: bool, code: str, duration_s: float) -> None:
        known = (method_label(method), is_modern, code)
        if (counter := self._counters.get(known)) is None:
            era = "modern" if is_modern else "legacy"
            counter = self._counters[known] = REQUESTS.labels(self._variant, known[0], era, code, "sdk")
        counter.inc()
        if known[0] != _STREAMS:
            if (seconds := self._seconds.get(known[0])) is None:
                seconds = self._seconds[known[0]] = REQUEST_SECONDS.labels(known[0])
            seconds.observe(duration_s)


class StoreMeter:
    """Counts calls to the store."""

    def called(self, operation: str, outcome: str, duration_s: float) -> None:
        CALLS.labels(operation, outcome).inc()
        CALL_SECONDS.labels(operation).observe(duration_s)

    def answered(self, operation: str, status: int) -> None:
        RESPONSES.labels(operation, str(status)).inc()

    def unanswered(self, operation: str, outcome: str) -> None:
        UNANSWERED.labels(operation, outcome).inc()

    def throttled(self, operation: str) -> None:
        THROTTLED.labels(operation).inc()

    def retried(self, operation: str, cause: str) -> None:
        RETRIES.labels(operation, cause).inc()

    def moved(self, operation: str, received_bytes: int = 0, sent_bytes: int = 0) -> None:
        if received_bytes:
            RECEIVED.labels(operation).inc(received_bytes)
        if sent_bytes:
            SENT.labels(operation).inc(sent_bytes)
