"""Host and Origin rules. Pure.

The SDK compares hosts with case and takes `name:*` for a prefix test, so `gw.example.com:8443@evil`
would pass; here a pattern is a name with an exact port, no port, or any port, compared without case.
Source: RFC 9110 section 7.2 (Host), RFC 6454 section 6.2 (Origin); MCP Streamable HTTP, DNS rebinding.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

# No dot and no hyphen at an end: whoever writes "skills.example.com." gets no answer.
_NAME = r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)"
_HOST = re.compile(rf"{_NAME}(?::(?P<port>[0-9]{{1,5}}))?")
_HOST_PATTERN = re.compile(rf"{_NAME}(?::(?P<port>[0-9]{{1,5}}|\*))?")
_ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>.+)")


@dataclass(frozen=True, slots=True)
class HostPattern:
    """`name`, `name:port` or `name:*` (any port, or none); in lower case, IPv6 in brackets."""

    name: str
    port: str = ""

    def matches(self, host: str) -> bool:
        found = _HOST.fullmatch(host.lower())
        return bool(found) and found["name"] == self.name and self.port in ("*", found["port"] or "")


@dataclass(frozen=True, slots=True)
class OriginPattern:
    """A scheme and a host pattern."""

    scheme: str
    host: HostPattern

    def matches(self, origin: str) -> bool:
        found = _ORIGIN.fullmatch(origin.lower())
        return bool(found) and found["scheme"] == self.scheme and self.host.matches(found["host"])


def parse_host_pattern(text: str) -> HostPattern:
    """Raises ValueError for what is no host pattern."""
    found = _HOST_PATTERN.fullmatch(text.lower())
    if not found:
        raise ValueError(f"{text!r} is no host; expected name, name:port or name:*")
    return HostPattern(found["name"], found["port"] or "")


def parse_origin_pattern(text: str) -> OriginPattern:
    """Raises ValueError for what is no origin pattern."""
    found = _ORIGIN.fullmatch(text.lower())
    if not found:
        raise ValueError(f"{text!r} is no origin; expected scheme://name[:port]")
    return OriginPattern(found["scheme"], parse_host_pattern(found["host"]))


@dataclass(frozen=True, slots=True)
class HostRules:
    """Which Host and which Origin may talk to this app. An Origin of `null` never may."""

    hosts: tuple[HostPattern, ...]
    origins: tuple[OriginPattern, ...] = ()

    def allows_host(self, host: str) -> bool:
        return any(pattern.matches(host) for pattern in self.hosts)

    def allows_origin(self, origin: str) -> bool:
        return any(pattern.matches(origin) for pattern in self.origins)


def host_rules(hosts: Iterable[str], origins: Iterable[str]) -> HostRules:
    """Rules of texts. Raises ValueError for one that is no pattern."""
    return HostRules(tuple(map(parse_host_pattern, hosts)), tuple(map(parse_origin_pattern, origins)))
