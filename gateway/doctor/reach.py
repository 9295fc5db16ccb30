"""Findings about the way to the store: the endpoint, and whether the two clocks agree. Pure.

Source: S3 API reference, RequestTimeTooSkewed (refused from 15 minutes on, by other stores sooner).
"""

from collections.abc import Iterable
from dataclasses import replace

from gateway.doctor.facts import EndpointSeen, Failure, ListingSeen
from gateway.doctor.finding import Finding

NOT_S3 = "not_s3"
WARN_SKEW_S = 60
REFUSED_SKEW_S = 300
_REMEDIES = {
    "dns": "correct the name in GATEWAY_ENDPOINT_URL, or the name service of this machine",
    "tcp": "start the store, correct the port in GATEWAY_ENDPOINT_URL, or open the way through the firewall",
    "tls": "name a file with the store's certificate authority in AWS_CA_BUNDLE, or correct the name in the URL",
    "silent": "look whether the store hangs, or whether the port belongs to something else",
    "not_http": "correct the port in GATEWAY_ENDPOINT_URL; what listens there speaks no HTTP",
    "tls_wanted": "write https:// instead of http:// in GATEWAY_ENDPOINT_URL",
}


def judge_endpoint(seen: EndpointSeen) -> tuple[Finding, ...]:
    """Findings about the endpoint and the clock; an error of the endpoint comes alone."""
    if seen.step == "tls" and "WRONG_VERSION_NUMBER" in seen.detail:
        remedy = "write http:// instead of https:// in GATEWAY_ENDPOINT_URL, or turn TLS on at the store"
        return (_fault("plain_wanted", f"{seen.url}: the port speaks no TLS, and the URL says https", remedy),)
    if seen.step != "answered":
        code = {"silent": "no_answer"}.get(seen.step, seen.step)
        return (_fault(code, f"{seen.url}: {seen.detail}", _REMEDIES[seen.step]),)
    if not seen.is_s3:
        said = f"{seen.url}: an HTTP server that does not look like S3 (status {seen.status}{_server(seen)})"
        return (_fault(NOT_S3, said, "correct host and port in GATEWAY_ENDPOINT_URL; a console often has its own"),)
    return Finding("endpoint", "reachable", "ok", f"{seen.url} answers as S3 does{_server(seen)}"), judge_clock(seen)


def judge_clock(seen: EndpointSeen) -> Finding:
    """How far the store's Date header is from our clock."""
    if seen.date is None or seen.asked_at is None:
        return Finding("endpoint", "clock", "ok", "the store tells no time, so the clocks cannot be compared")
    skew_s = round((seen.asked_at - seen.date).total_seconds())
    if abs(skew_s) <= WARN_SKEW_S:
        return Finding("endpoint", "clock", "ok", "the clock here and the store's agree within a minute")
    level = "error" if abs(skew_s) > REFUSED_SKEW_S else "warning"
    way = "ahead of" if skew_s > 0 else "behind"
    said = f"the clock here is {abs(skew_s)} s {way} the store's ({seen.date:%H:%M:%S} UTC)"
    remedy = "set the clock right (NTP), here or at the store; S3 refuses signatures otherwise"
    return Finding("endpoint", "clock", level, said, remedy)


def is_way_blocked(findings: Iterable[Finding]) -> bool:
    """Whether no store can be at the end of the way. A wrong clock blocks nothing, nor does an odd first answer."""
    return any(finding.level == "error" and finding.code not in {"clock", NOT_S3} for finding in findings)


def second_thoughts(finding: Finding, listing: ListingSeen | Failure) -> Finding:
    """What an endpoint that does not look like S3 is after all: a proxy may let only the bucket through."""
    if finding.code != NOT_S3:
        return finding
    if isinstance(listing, Failure):
        return replace(finding, seen=f"{finding.seen}; a listing: {listing.detail}")
    return Finding(
        "endpoint", "reachable", "ok", "the endpoint lists the bucket, though its root is not like that of S3"
    )


def _fault(code: str, seen: str, remedy: str) -> Finding:
    return Finding("endpoint", code, "error", seen, remedy)


def _server(seen: EndpointSeen) -> str:
    return f", Server: {seen.server}" if seen.server else ""
