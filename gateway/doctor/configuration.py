"""Findings about settings that are allowed and yet seldom meant. Pure."""

from collections.abc import Iterator

from gateway.doctor.facts import Configuration
from gateway.doctor.finding import Finding

MOST_PAGES = 50
"""After so many pages of one listing the first hosts give up."""


def judge_configuration(seen: Configuration) -> tuple[Finding, ...]:
    """One finding says that all is well when nothing smells."""
    return tuple(_smells(seen)) or (Finding("settings", "settings", "ok", "the settings load, and fit together"),)


def judge_page_size(page_size: int, skills: int) -> tuple[Finding, ...]:
    """Whether hosts can page through that many skills."""
    if skills <= page_size * MOST_PAGES:
        return ()
    said = (
        f"{skills} skills in pages of {page_size} are {-(-skills // page_size)} pages; hosts give up after {MOST_PAGES}"
    )
    remedy = f"set GATEWAY_PAGE_SIZE to {min(1000, -(-skills // MOST_PAGES))} or more"
    return (Finding("settings", "page_size", "warning", said, remedy),)


def _smells(seen: Configuration) -> Iterator[Finding]:
    if not seen.cursor_keys:
        said = "no cursor_keys: each process seals cursors with a key of its own, and refuses those of others"
        do = "for more than one replica set GATEWAY_CURSOR_KEYS; run: skills-gateway keygen"
        yield _smell("cursor_keys", said, do)
    if seen.is_public and seen.auth == "none":
        yield _smell("auth_none", "everybody who reaches this machine may read every skill", "set GATEWAY_AUTH=bearer")
    if seen.freshness_s == 0:
        said = "freshness_s is 0: every request asks the store"
        yield _smell("freshness", said, "set GATEWAY_FRESHNESS_S to a few seconds")
    if seen.is_public and seen.public_name and seen.allowed_hosts and seen.public_name not in _names(seen):
        said = f"public_url names {seen.public_name!r}, allowed_hosts has {', '.join(seen.allowed_hosts)}"
        yield _smell("hosts", said, "name the public host in GATEWAY_ALLOWED_HOSTS too, or correct one of the two")
    if seen.is_public and not seen.public_name and seen.auth == "bearer":
        said = "no public_url: clients are told an address of this machine to sign in for"
        yield _smell("public_url", said, "set GATEWAY_PUBLIC_URL to what clients connect to")
    if seen.endpoint_url is not None and seen.endpoint_url.startswith("http://") and not seen.is_local_store:
        said = f"the store is asked without TLS at {seen.endpoint_url}"
        yield _smell("plain_http", said, "use https, unless the network between is trusted")


def _names(seen: Configuration) -> set[str]:
    return {host.rpartition(":")[0] if ":" in host else host for host in seen.allowed_hosts}


def _smell(code: str, seen: str, remedy: str) -> Finding:
    return Finding("settings", code, "warning", seen, remedy)
