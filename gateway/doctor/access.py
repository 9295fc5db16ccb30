"""Findings about who we are to the store, and whether it lets us list the bucket. Pure."""

from datetime import datetime, timedelta

from gateway.doctor.facts import CredentialsSeen, Failure, StoreSeen
from gateway.doctor.finding import Finding

_SOON = timedelta(minutes=10)
_REFUSED_KEYS = ("SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken", "InvalidToken", "InvalidTokenId")
_REMEDIES = {
    "access_denied": "allow s3:ListBucket on the bucket and s3:GetObject below the prefix",
    "bucket_missing": "create the bucket, or correct GATEWAY_BUCKET",
    "wrong_region": "set GATEWAY_REGION, and the endpoint, to those of the bucket",
    "clock_skew": "set the clock right (NTP)",
    "store_unavailable": "look at the store and what is in front of it, and run this again",
    "store_throttled": "the store asks for fewer requests; lower GATEWAY_MAX_CONCURRENCY, or wait",
    "store_misbehaved": "what answers is no S3, or a store that breaks its rules; correct the endpoint",
}


def judge_access(seen: StoreSeen, now: datetime) -> tuple[Finding, ...]:
    """Credentials first, then the bucket."""
    credentials = () if seen.credentials is None else (judge_credentials(seen.credentials, now),)
    return (*credentials, _bucket(seen), *_region(seen))


def judge_credentials(seen: CredentialsSeen | Failure, now: datetime) -> Finding:
    """Where they come from, and until when they hold."""
    if isinstance(seen, Failure):
        return Finding("access", "no_credentials", "error", seen.detail, "give credentials by the usual AWS chain")
    if seen.expires_at is None:
        return Finding("access", "credentials", "ok", f"credentials from {seen.source}; they do not expire")
    left = seen.expires_at - now
    said = f"credentials from {seen.source}; they expire at {seen.expires_at:%Y-%m-%dT%H:%M:%SZ}"
    if left <= timedelta(0):
        return Finding("access", "credentials", "error", f"{said}, which is over", "renew them where they come from")
    if left < _SOON:
        return Finding("access", "credentials", "warning", said, "see that whatever renews them runs")
    return Finding("access", "credentials", "ok", f"{said} and are renewed before that")


def _bucket(seen: StoreSeen) -> Finding:
    if not isinstance(seen.listing, Failure):
        return Finding("access", "list", "ok", "the bucket is there and may be listed under the prefix")
    reason, detail = seen.listing.reason, seen.listing.detail
    if reason == "access_denied" and any(code in detail for code in _REFUSED_KEYS):
        return Finding(
            "access", "bad_credentials", "error", detail, "give the access key and secret that the store knows"
        )
    return Finding("access", reason, "error", detail, _REMEDIES.get(reason, "look at what the store said"))


def _region(seen: StoreSeen) -> tuple[Finding, ...]:
    if not seen.region:
        return ()
    if isinstance(seen.region, Failure):
        return (Finding("access", "region", "ok", f"HeadBucket does not tell the region: {seen.region.detail}"),)
    return (Finding("access", "region", "ok", f"the bucket is in region {seen.region}"),)
