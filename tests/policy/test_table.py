"""Rules as they are written in gateway.toml."""

import tomllib

import pytest

from gateway.policy.rule import Rule
from gateway.policy.table import parse_rule

LEAVE_OUT = "leave it out when it does not matter"


def parsed(text: str) -> Rule:
    return parse_rule(tomllib.loads(text))


def test_a_table_gives_its_rule() -> None:
    """[ours] A text where a list is meant is a list of one."""
    assert parsed('paths = "acme/**"') == Rule(("acme/**",))
    assert parsed(
        """
        paths = ["acme/**", "shared/*"]
        variants = ["default", "beta"]
        scopes = "skills:read"
        groups = ["a team", "b"]
        claims = { "realm_access.roles" = "dev", tenant = ["x", "y"] }
        default_variant = "beta"
        """
    ) == Rule(
        ("acme/**", "shared/*"),
        ("default", "beta"),
        ("skills:read",),
        ("a team", "b"),
        (),
        {"realm_access.roles": ("dev",), "tenant": ("x", "y")},
        "beta",
    )
    assert parsed('paths = "**"\nkeys = "ci"') == Rule(("**",), keys=("ci",))


@pytest.mark.parametrize(("name", "wanted"), [("groups", '"dev"'), ("claims", '{ team = "dev" }')])
def test_a_rule_that_could_never_hold_is_refused(name: str, wanted: str) -> None:
    """[ours] All conditions must hold, and an API key has nothing of an identity provider."""
    with pytest.raises(ValueError, match=f"has keys and {name}, so it never holds: .* make two rules of it"):
        parsed(f'paths = "**"\nkeys = "ci"\n{name} = {wanted}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'has no paths, needs those of the skills it shows; write paths = ["acme/**"]'),
        ('path = "a"', "has 'path', which is no key of a rule; did you mean paths?"),
        (
            'paths = "a"\nwho = "me"',
            "has 'who', which is no key of a rule; "
            "there are paths, variants, scopes, groups, keys, claims, default_variant",
        ),
        ("paths = []", 'has paths = [], needs at least one text; write paths = ["**"] for every skill'),
        ("paths = true", "has paths = True, needs a text that is not blank; put it in quotes"),
        ('paths = ["a", 1]', "has paths[1] = 1, needs a text that is not blank; put it in quotes"),
        ('paths = ["a/"]', "has 'a/' in paths, which has a slash at an end, and no skill path does; "),
        ('paths = "a"\nscopes = []', f"has scopes = [], needs at least one text; {LEAVE_OUT}"),
        ('paths = "a"\nvariants = ""', "has variants = '', needs a text that is not blank; put it in quotes"),
        (
            'paths = "a"\nscopes = "read write"',
            "has 'read write' in scopes, and no scope has a blank; write each as its own item",
        ),
        ('paths = "a"\ngroups = [["x"]]', "has groups[0] = ['x'], needs a text that is not blank; put it in quotes"),
        ('paths = "a"\nkeys = {}', "has keys = {}, needs a text that is not blank; put it in quotes"),
        (
            'paths = "a"\nclaims = "team"',
            "has claims = 'team', needs a table of claims; write claims = { team = [\"acme\"] }",
        ),
        ('paths = "a"\nclaims = {}', "has claims = {}, needs a table of claims; "),
        (
            'paths = "a"\nclaims.email_verified = true',
            "has claims.email_verified = True, needs a text that is not blank; put it in quotes",
        ),
        ('paths = "a"\nclaims.team = []', f"has claims.team = [], needs at least one text; {LEAVE_OUT}"),
        (
            'paths = "a"\nclaims.realm_access.roles = "x"',
            "has a table as claims.realm_access, needs texts; quote the name of a claim inside another one: "
            'claims = { "realm_access.roles" = ["acme"] }',
        ),
        ('paths = "a"\ndefault_variant = ""', "has default_variant = '', needs a text that is not blank; "),
    ],
)
def test_an_odd_table_is_refused_with_key_value_and_what_to_do(text: str, message: str) -> None:
    """[ours] The rest of a sentence; an empty list would let everybody in where nobody may be meant."""
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole text is compared
        parsed(text)
    assert str(refused.value).startswith(message)
