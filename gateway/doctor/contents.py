"""Findings about what lies under the prefix: skills served and refused, channels and their releases. Pure."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from gateway.doctor.facts import ChannelSeen, ContentsSeen, Failure
from gateway.doctor.finding import Finding
from gateway.skill.model import Problem, printable

_NAMED = 3


def judge_contents(seen: ContentsSeen | Failure, now: datetime) -> tuple[Finding, ...]:
    """Refused skills are one finding for each code."""
    if isinstance(seen, Failure):
        return (Finding("contents", seen.reason, "error", seen.detail, "look at what the store said"),)
    return tuple(_releases(seen, now) if seen.kind == "releases" else _tree(seen))


def _tree(seen: ContentsSeen) -> Iterator[Finding]:
    cut = "; there is more, and that was not looked at" if seen.is_cut else ""
    if not seen.served and not seen.refused and not seen.is_cut:
        said, remedy = f"there is no SKILL.md below {seen.place}", "upload or publish skills, or correct the prefix"
        yield Finding("contents", "empty", "warning", said, remedy)
        return
    level = "ok" if seen.served else "warning"
    yield Finding("contents", "tree", level, f"a tree of skills below {seen.place}: {seen.served} served{cut}")
    yield from refusals(seen.refused)


def refusals(problems: tuple[Problem, ...]) -> Iterator[Finding]:
    """A finding for each code, the commonest first; the first few are named."""
    by_code: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        by_code[problem.code].append(problem)
    for code, alike in sorted(by_code.items(), key=lambda item: (-len(item[1]), item[0])):
        names = "; ".join(printable(f"{problem.where}: {problem.detail}") for problem in alike[:_NAMED])
        more = f"; and {len(alike) - _NAMED} more" if len(alike) > _NAMED else ""
        said = f"{len(alike)} refused: {names}{more}"
        yield Finding("contents", code, "warning", said, "mend them; skills-gateway check names each with its line")


def _releases(seen: ContentsSeen, now: datetime) -> Iterator[Finding]:
    names = [channel.name for channel in seen.channels]
    yield Finding("contents", "releases", "ok", f"releases below {seen.place}: {', '.join(names) or 'no channel'}")
    if seen.wanted_channel and seen.wanted_channel not in names:
        said = f"there is no channel {seen.wanted_channel!r}, which is to be served"
        yield Finding("contents", "channel_missing", "error", said, "publish to it, or correct GATEWAY_CHANNEL")
    for channel in seen.channels:
        yield _channel(channel, channel.name == seen.wanted_channel, now)


def _channel(seen: ChannelSeen, is_wanted: bool, now: datetime) -> Finding:
    if seen.fault is not None:
        remedy = "publish again, or roll the channel back; skills-gateway verify names each wrong object"
        if seen.fault.reason == "signature_refused":
            remedy = "sign the release with a key of GATEWAY_TRUSTED_KEYS, or add the key that signed it"
        said = f"{_named(seen)}: {seen.fault.detail}"
        return Finding("contents", seen.fault.reason, "error" if is_wanted else "warning", said, remedy)
    checked = f"index and {'the first ' if seen.is_cut else ''}{seen.shards} shards verify"
    age = "" if seen.moved_at is None else f" for {age_text(now - seen.moved_at)}"
    signed = f", signed by {seen.signer}" if seen.signer else ""
    return Finding(
        "contents",
        "channel",
        "ok",
        f"{_named(seen)}{age}: {seen.skills} skills, {checked}{signed}",
    )


def _named(seen: ChannelSeen) -> str:
    if seen.name == seen.release:
        return f"release {seen.release}"
    return f"channel {seen.name!r} is at release {seen.release or '?'}"


def age_text(age: timedelta) -> str:
    """As people say it: `3 days`, `5 hours`, `12 minutes`."""
    if age.days:
        return f"{age.days} days"
    minutes = max(0, age.seconds // 60)
    return f"{minutes // 60} hours" if minutes >= 60 else f"{minutes} minutes"
