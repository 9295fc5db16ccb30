"""Host and Origin patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.web.hosts import host_rules

RULES = host_rules(
    ["gw.example.com", "gw.example.com:8443", "any.example.com:*", "[::1]:*", "127.0.0.1:8000", "under_score"],
    ["https://gw.example.com", "https://gw.example.com:8443", "http://localhost:*", "http://[::1]:3000"],
)


@pytest.mark.parametrize(
    "host",
    [
        "gw.example.com",
        "GW.Example.COM",
        "gw.example.com:8443",
        "any.example.com",
        "any.example.com:1",
        "ANY.example.com:65535",
        "[::1]",
        "[::1]:9",
        "127.0.0.1:8000",
        "under_score",
    ],
)
def test_a_host_is_known_in_any_case_and_at_its_ports(host: str) -> None:
    """[RFC 9110 section 7.2]"""
    assert RULES.allows_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "example.com",
        "gw.example.com.",
        "gw.example.com:",
        "gw.example.com:443",
        "gw.example.com:8443@evil.com",
        "gw.example.com:8443.evil.com",
        "gw.example.com:84430",
        "gw.example.com:08443",
        "user@gw.example.com",
        "evil.com/gw.example.com",
        "evil.com#gw.example.com",
        "xgw.example.com",
        "gw.example.com.evil.com",
        "gw.example.com evil.com",
        "gw.example.com,evil.com",
        "gw.example.com\n",
        "gw\u212axample.com",
        "any.example.com:x",
        "any.example.com:*",
        "any.example.com:123456",
        "any.example.com:1:2",
        "any.example.com:8443@evil",
        "::1",
        "[::1]evil",
        "[::2]",
        "[::1",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.1:8000",
        "2130706433:8000",
        "http://gw.example.com",
        "null",
        "*",
    ],
)
def test_any_other_host_is_refused(host: str) -> None:
    """[SDK trap: the SDK's `name:*` is a prefix test]"""
    assert not RULES.allows_host(host)


@pytest.mark.parametrize(
    "origin",
    [
        "https://gw.example.com",
        "HTTPS://GW.example.com",
        "https://gw.example.com:8443",
        "http://localhost",
        "http://localhost:5173",
        "http://[::1]:3000",
    ],
)
def test_an_origin_is_known_by_scheme_host_and_port(origin: str) -> None:
    """[RFC 6454 section 6.2]"""
    assert RULES.allows_origin(origin)


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "NULL",
        "gw.example.com",
        "//gw.example.com",
        "http://gw.example.com",
        "https://gw.example.com/",
        "https://gw.example.com/x",
        "https://gw.example.com:443",
        "https://gw.example.com:8443@evil.com",
        "https://user@gw.example.com",
        "https://evil.com",
        "https://gw.example.com.evil.com",
        "https://localhost",
        "http://localhost.evil.com",
        "http://localhost:x",
        "http://[::1]",
        "https://gw.example.com https://evil.com",
        "file://",
        "chrome-extension://gw.example.com",
    ],
)
def test_any_other_origin_is_refused(origin: str) -> None:
    """[MCP Streamable HTTP, DNS rebinding] `null` is what a sandboxed frame or a file sends."""
    assert not RULES.allows_origin(origin)


@given(st.text())
def test_no_text_around_a_name_is_that_name(more: str) -> None:
    """[ours]"""
    for host in (f"gw.example.com{more}", f"{more}gw.example.com"):
        assert RULES.allows_host(host) == (host.lower() in ("gw.example.com", "gw.example.com:8443"))


def test_no_origin_rule_allows_none() -> None:
    """[ours]"""
    assert not host_rules(["gw.example.com"], []).allows_origin("https://gw.example.com")


@pytest.mark.parametrize(
    "text", ["", "*", "a b", "a:b", "http://a", "a:123456", "::1", "[g]", "a/b", "user@a", "*.example.com"]
)
def test_what_is_no_host_pattern_is_refused(text: str) -> None:
    """[ours]"""
    with pytest.raises(ValueError, match="is no host; expected name, name:port or name:\\*"):
        host_rules([text], [])


@pytest.mark.parametrize(
    "text", ["", "null", "*", "gw.example.com", "https://", "https://a/", "1http://a", "https://*"]
)
def test_what_is_no_origin_pattern_is_refused(text: str) -> None:
    """[ours]"""
    with pytest.raises(ValueError, match=r"is no (origin; expected scheme://name\[:port\]|host; expected name)"):
        host_rules([], [text])
