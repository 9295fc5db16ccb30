"""What claims say of a caller, in the spellings of common providers."""

from typing import Any

import pytest

from gateway.auth.principal import principal_of

BASE: dict[str, object] = {"iss": "https://idp.example.com", "sub": "alice", "exp": 1.9e9}


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({}, set()),
        ({"scope": "skills:read skills:write"}, {"skills:read", "skills:write"}),
        ({"scope": "  a   a b "}, {"a", "b"}),
        ({"scope": ["a", "b c"]}, {"a", "b c"}),
        ({"scp": "a b"}, {"a", "b"}),
        ({"scp": ["a", "b"]}, {"a", "b"}),
        ({"scope": "a", "scp": ["b"]}, {"a", "b"}),
        ({"scope": ""}, set()),
        ({"scope": ["a", 1, None, "", ["b"]]}, {"a"}),
        ({"scope": {"a": True}}, set()),
        ({"scope": 7}, set()),
        ({"scope": True}, set()),
    ],
)
def test_scopes_are_a_text_or_a_list(claims: dict[str, Any], expected: set[str]) -> None:
    """[RFC 8693 section 4.2; Entra and Okta] What has another form grants nothing."""
    assert principal_of(BASE | claims, "groups").scopes == expected


@pytest.mark.parametrize(
    ("name", "claims", "expected"),
    [
        ("groups", {"groups": ["a", "b"]}, {"a", "b"}),
        ("groups", {"groups": "a b"}, {"a b"}),
        ("groups", {"groups": [1, "a", ""]}, {"a"}),
        ("groups", {}, set()),
        ("realm_access.roles", {"realm_access": {"roles": ["r"]}}, {"r"}),
        ("realm_access.roles", {"realm_access": ["roles"]}, set()),
        ("https://example.com/groups", {"https://example.com/groups": ["g"]}, {"g"}),
        ("a.b", {"a.b": ["whole"], "a": {"b": ["path"]}}, {"whole"}),
    ],
)
def test_groups_are_where_the_operator_says(name: str, claims: dict[str, Any], expected: set[str]) -> None:
    """[Keycloak, Auth0, Entra] A claim of that name comes before a path."""
    assert principal_of(BASE | claims, name).groups == expected


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"client_id": "a", "azp": "b"}, "a"),
        ({"azp": "b", "cid": "c"}, "b"),
        ({"cid": "c"}, "c"),
        ({"appid": "d"}, "d"),
        ({"azp": 7, "cid": "c"}, "c"),
        ({}, ""),
    ],
)
def test_the_client_is_named_by_one_of_several_claims(claims: dict[str, Any], expected: str) -> None:
    """[RFC 9068 section 2.2; Keycloak, Okta, Entra]"""
    assert principal_of(BASE | claims, "groups").client == expected
