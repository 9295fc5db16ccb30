"""The metrics, each once for a process. With PROMETHEUS_MULTIPROC_DIR they live in files that another process adds up.

That is decided when prometheus_client is imported, so that nobody imports this who has not settled it.
Rows are bounded, for labels are words of ours (methods, outcomes, codes of errors and problems, kinds of caches,
operations of S3) or of whoever set the gateway up (variants).
Source: Prometheus, Metric and label naming; prometheus_client, Multiprocess mode.
"""

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

IS_SHARED = "PROMETHEUS_MULTIPROC_DIR" in os.environ
"""Whether several workers write to one directory, from which no row can be removed."""
# A second series for each counter, which nothing here asks for.
disable_created_metrics()
REGISTRY = CollectorRegistry()

_REQUEST_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_CALL_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(f"skills_gateway_{name}", text, labels, registry=REGISTRY)


def _highest(name: str, text: str, *labels: str) -> Gauge:
    """The same in every worker, or nearly so: the highest counts."""
    return Gauge(f"skills_gateway_{name}", text, labels, registry=REGISTRY, multiprocess_mode="livemax")


def _lowest(name: str, text: str, *labels: str) -> Gauge:
    """The lowest counts: the worker that is furthest behind."""
    return Gauge(f"skills_gateway_{name}", text, labels, registry=REGISTRY, multiprocess_mode="livemin")


def _summed(name: str, text: str, *labels: str) -> Gauge:
    return Gauge(f"skills_gateway_{name}", text, labels, registry=REGISTRY, multiprocess_mode="livesum")


REQUESTS = _counter(
    "requests",
    "MCP requests by variant, method, era (modern, legacy), code (ok, or that of JSON-RPC), and way: memory or sdk.",
    *("variant", "method", "era", "code", "way"),
)
"""At most, for a variant, two eras of 17 methods by the ten codes or so that are ever answered; few are met."""
REQUEST_SECONDS = Histogram(
    "skills_gateway_request_seconds",
    "How long requests took that were not answered from memory, which takes about 0.1 ms, by method.",
    ("method",),
    registry=REGISTRY,
    buckets=_REQUEST_BUCKETS_S,
)
DENIALS = _counter("denials", "Requests that were turned away before a method was asked, by reason.", "reason")
IN_FLIGHT = _summed("requests_in_flight", "Requests under way.")
STREAMS = _summed("streams", "Open streams of subscriptions/listen.")

CALLS = _counter("s3_calls", "Calls to the store by operation and outcome: ok, or the reason.", "operation", "outcome")
CALL_SECONDS = Histogram(
    "skills_gateway_s3_call_seconds",
    "How long calls to the store took, retries and bodies included, by operation.",
    ("operation",),
    registry=REGISTRY,
    buckets=_CALL_BUCKETS_S,
)
RESPONSES = _counter("s3_responses", "HTTP answers of the store by operation and status.", "operation", "status")
UNANSWERED = _counter(
    "s3_unanswered",
    "Requests that the store left without an answer, by operation and outcome: no_connection, tls, timeout, closed, "
    "other, or deadline, when that of the whole call passed.",
    *("operation", "outcome"),
)
"""At most six rows for each of the six operations."""
THROTTLED = _counter("s3_throttled", "Answers that ask for fewer requests: SlowDown, any 503.", "operation")
"""At most one row for each of the six operations."""
RETRIES = _counter(
    "s3_retries",
    "Requests that were sent again, by operation and cause: throttled, error (another status), unanswered, or body.",
    *("operation", "cause"),
)
"""At most four rows for each of the six operations."""
RECEIVED = _counter("s3_received_bytes", "Bytes of bodies that came from the store, by operation.", "operation")
SENT = _counter("s3_sent_bytes", "Bytes of bodies that went to the store, by operation.", "operation")
CALLS_IN_FLIGHT = _summed("s3_calls_in_flight", "Calls to the store under way.")
CALLS_WAITING = _summed("s3_calls_waiting", "Calls that wait for a place.")
CALLS_ALLOWED = _summed("s3_calls_allowed", "Calls that may be under way now: fewer when the store asks for it.")
CALLS_MOST = _summed("s3_calls_most", "Calls that may be under way at the most (GATEWAY_MAX_CONCURRENCY).")

CACHE_BYTES = _summed("cache_bytes", "What is kept in memory, by variant and cache.", "variant", "cache")
CACHE_LOOKUPS = _counter(
    "cache_lookups",
    "What was looked for in memory, by variant, cache, kind of what it keeps, and outcome: hit or miss.",
    *("variant", "cache", "kind", "outcome"),
)
"""At most 14 rows for a variant: two outcomes of the seven kinds that a tree keeps; releases keep four."""
CACHE_LIMIT_BYTES = _summed("cache_limit_bytes", "What may be kept in memory.", "variant", "cache")
SKILLS = _highest("skills", "Skills in the release that is served, by variant; a tree is not counted.", "variant")
REFUSED = _highest("refused", "What is known not to be served, or with a warning, by code.", "variant", "code")
RELEASED_AT = _highest(
    "release_timestamp_seconds", "When the release that is served came to its channel, as a Unix time.", "variant"
)
RELEASE_INFO = _highest(
    "release_info",
    "1 for the release that is served, by variant and channel; none of one that is served no more.",
    *("variant", "channel", "release"),
)
"""One row for a variant; while workers change over, one for each release that one of them serves."""
LOOKED_AT = _lowest(
    "last_look_timestamp_seconds",
    "When the channel was last seen where it points, as a Unix time; of the worker that is furthest behind.",
    "variant",
)
FAILED_LOOKS = _counter(
    "failed_looks", "Looks at the channel that failed, by variant and reason.", *("variant", "reason")
)
"""At most one row for each class of error and variant."""
FAILING = _highest("source_failing", "1 while a source cannot be followed, and what is known is served on.", "variant")
AUDIT_DROPPED = _counter("audit_dropped", "Audit events that were never written.")
