"""The document of `/statusz`: what a running gateway knows of itself, as JSON. Pure; times are handed in.

Texts of errors are for operators, so whoever serves this asks who is calling first. No key, token, cursor
or file text is in it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Literal

from gateway.doctor.facts import Failure
from gateway.memory.shelves import Fill
from gateway.objects import Pace
from gateway.skill.model import Problem, printable

_NAMED = 5
"""Refused skills that are named for each code."""


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One source. `release`, the `channel` it is followed on, and `released_at` when it came there, are of releases.

    So are `looked_at`, when it was last seen where that points, and `failed_looks`, how many were in vain by reason.
    `skills` is None where nobody counts them; `failure` is what keeps the source from being followed now.
    """

    kind: Literal["tree", "releases", "unknown"]
    release: str = ""
    released_at: datetime | None = None
    skills: int | None = None
    problems: Sequence[Problem] = ()
    failure: Failure | None = None
    fills: Sequence[Fill] = ()
    channel: str = ""
    looked_at: datetime | None = None
    failed_looks: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class ErrorSeen:
    """An error that was logged."""

    at: datetime
    reason: str
    detail: str


def status_document(
    *,
    version: str,
    started_at: datetime,
    now: datetime,
    sources: Mapping[str, SourceStatus],
    ready: Mapping[str, str],
    pace: Pace | None = None,
    denials: Mapping[str, int] | None = None,
    errors: Sequence[ErrorSeen] = (),
) -> dict[str, object]:
    """Ready for `json.dumps`. Ages and uptime in whole seconds; the newest error first.

    `ready` is what `/readyz` says. `status` is `degraded` when that is not ok, when a source has a failure, or when the
    store asked for fewer calls, else `ok`.
    """
    is_slowed = pace is not None and pace.allowed < pace.most
    is_degraded = is_slowed or ready.get("status") != "ok" or any(source.failure for source in sources.values())
    return {
        "status": "degraded" if is_degraded else "ok",
        "version": version,
        "started_at": _time(started_at),
        "uptime_s": _age_s(started_at, now),
        "sources": {name: _source(source, now) for name, source in sources.items()},
        "ready": dict(ready),
        "store": None if pace is None else {**asdict(pace), "is_slowed": is_slowed},
        "denials": dict(denials or {}),
        "last_errors": [_error(error, now) for error in sorted(errors, key=lambda error: error.at, reverse=True)],
    }


def _source(seen: SourceStatus, now: datetime) -> dict[str, object]:
    failure = (
        None if seen.failure is None else {"reason": seen.failure.reason, "detail": printable(seen.failure.detail)}
    )
    told: dict[str, object] = {"kind": seen.kind, "skills": seen.skills, "failure": failure}
    if seen.kind == "releases":
        told["release"] = seen.release or None
        told["release_age_s"] = None if seen.released_at is None else _age_s(seen.released_at, now)
    caches = {fill.name: _fill(fill) for fill in seen.fills}
    return told | {"refused": _refused(seen.problems), "caches": caches}


def _refused(problems: Sequence[Problem]) -> dict[str, object]:
    counted = Counter(problem.code for problem in problems)
    return {
        code: {"count": count, "first": [str(problem) for problem in problems if problem.code == code][:_NAMED]}
        for code, count in counted.most_common()
    }


def _fill(seen: Fill) -> dict[str, object]:
    fill = seen.used_bytes / seen.limit_bytes if seen.limit_bytes else 0.0
    return {"used_bytes": seen.used_bytes, "limit_bytes": seen.limit_bytes, "fill": round(fill, 3)}


def _error(seen: ErrorSeen, now: datetime) -> dict[str, object]:
    return {
        "at": _time(seen.at),
        "age_s": _age_s(seen.at, now),
        "reason": seen.reason,
        "detail": printable(seen.detail),
    }


def _age_s(then: datetime, now: datetime) -> int:
    return max(0, round((now - then).total_seconds()))


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
