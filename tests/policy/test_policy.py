"""What rules grant, and to whom."""

import pytest

from gateway.policy.policy import Policy
from gateway.policy.rule import Facts, Rule
from gateway.policy.sight import Ruling
from gateway.skill.model import SkillPath

CLAIMS = {
    "tenant": "acme",
    "roles": ["dev", 7, "ops"],
    "realm": {"roles": ["admin"], "deep": {"er": "x"}},
    "https://acme.example/team": "red",
    "verified": True,
}


@pytest.mark.parametrize(
    ("rule", "facts", "holds"),
    [
        (Rule(("a",)), Facts(), True),
        (Rule(("a",), scopes=("r", "w")), Facts(scopes=frozenset({"w"})), True),
        (Rule(("a",), scopes=("r",)), Facts(scopes=frozenset({"rw"})), False),
        (Rule(("a",), scopes=("r",)), Facts(), False),
        (Rule(("a",), groups=("g",)), Facts(groups=frozenset({"g", "h"})), True),
        (Rule(("a",), groups=("g",)), Facts(scopes=frozenset({"g"})), False),
        (Rule(("a",), keys=("ci", "cd")), Facts(key="cd"), True),
        (Rule(("a",), keys=("ci",)), Facts(), False),
        (Rule(("a",), scopes=("r",), keys=("ci",)), Facts(scopes=frozenset({"r"})), False),
        (Rule(("a",), scopes=("r",), keys=("ci",)), Facts(scopes=frozenset({"r"}), key="ci"), True),
        (Rule(("a",), claims={"tenant": ("x", "acme")}), Facts(claims=CLAIMS), True),
        (Rule(("a",), claims={"tenant": ("x",)}), Facts(claims=CLAIMS), False),
        (Rule(("a",), claims={"roles": ("ops",)}), Facts(claims=CLAIMS), True),
        (Rule(("a",), claims={"roles": ("7",)}), Facts(claims=CLAIMS), False),
        (Rule(("a",), claims={"realm.roles": ("admin",)}), Facts(claims=CLAIMS), True),
        (Rule(("a",), claims={"realm.deep.er": ("x",)}), Facts(claims=CLAIMS), True),
        (Rule(("a",), claims={"realm": ("roles",)}), Facts(claims=CLAIMS), False),
        (Rule(("a",), claims={"tenant.deep": ("acme",)}), Facts(claims=CLAIMS), False),
        (Rule(("a",), claims={"https://acme.example/team": ("red",)}), Facts(claims=CLAIMS), True),
        (Rule(("a",), claims={"verified": ("True", "true")}), Facts(claims=CLAIMS), False),
        (Rule(("a",), claims={"tenant": ("acme",), "gone": ("x",)}), Facts(claims=CLAIMS), False),
    ],
)
def test_every_kind_of_condition_must_hold_and_one_text_of_each_is_enough(
    rule: Rule, facts: Facts, holds: bool
) -> None:
    """[ours]"""
    assert Policy([Rule(("z",), keys=("nobody",)), rule]).grants_of(facts) == ({1} if holds else frozenset())


def test_without_a_rule_everybody_sees_everything_and_with_one_nothing_else() -> None:
    """[ours: deny by default once a rule exists] Grants that no rule has any more give nothing."""
    everything = Policy().sight(frozenset(), "beta")
    assert everything.sees_everything
    assert everything.ruling(SkillPath("a/b")) == Ruling((), True)
    policy = Policy([Rule(("a/**",), scopes=("r",))])
    nothing = policy.sight(policy.grants_of(Facts()), "")
    assert nothing.sees_nothing
    assert nothing.ruling(SkillPath("a/b")) == Ruling((), False)
    assert policy.sight(frozenset({7}), "").sees_nothing
    assert policy.sight(frozenset({0}), "").ruling(SkillPath("a/b")) == Ruling((), True)


def test_a_rule_is_good_for_its_variants() -> None:
    """[ours] `default` is the one without a name."""
    policy = Policy([Rule(("a",), ("beta",)), Rule(("b",), ("default",)), Rule(("c",)), Rule(("d",), keys=("k",))])
    grants = policy.grants_of(Facts())
    seen = {
        variant: [path for path in "abcd" if policy.sight(grants, variant).allows(path)]
        for variant in ("", "default", "beta", "other")
    }
    assert seen == {"": ["b", "c"], "default": ["b", "c"], "beta": ["a", "c"], "other": ["c"]}


def test_callers_know_of_the_variants_that_show_them_something() -> None:
    """[ours]"""
    policy = Policy([Rule(("a",), ("beta",)), Rule(("b",), ("stable",), keys=("k",))])
    assert policy.variants_of(frozenset({0}), ("", "stable", "beta")) == ("beta",)
    assert policy.variants_of(frozenset({0, 1}), ("", "stable", "beta")) == ("stable", "beta")
    assert policy.variants_of(frozenset(), ("", "stable")) == ()
    assert Policy().variants_of(frozenset(), ("", "stable")) == ("", "stable")


def test_the_first_rule_that_has_a_say_names_the_default_variant() -> None:
    """[ours]"""
    policy = Policy([Rule(("a",)), Rule(("a",), default_variant="beta"), Rule(("a",), default_variant="default")])
    says = [policy.default_variant(frozenset(grants)) for grants in ((), (0,), (0, 1, 2), (0, 2), (1, 2))]
    assert says == ["", "", "beta", "", "beta"]


def test_a_ruling_asks_no_more_than_what_could_change_it() -> None:
    """[SEP-2640, Nested Skills] `Org` can be no skill; below the last difference nobody need be asked."""
    assert Policy([Rule(("a/**",))]).sight(frozenset({0}), "").ruling(SkillPath("a/b/c")) == Ruling((), True)
    inner = Policy([Rule(("*/b/**",))]).sight(frozenset({0}), "")
    assert inner.ruling(SkillPath("a/b/c")) == Ruling(((SkillPath("a"), False),), True)
    assert inner.ruling(SkillPath("Org/b/c")) == Ruling((), True)
    assert inner.ruling(SkillPath("a/c/b")) == Ruling((), False)
    outer = Policy([Rule(("a",))]).sight(frozenset({0}), "")
    assert outer.ruling(SkillPath("a/b/c")) == Ruling(((SkillPath("a"), True),), False)
    assert outer.sees_everything is outer.sees_nothing is False
