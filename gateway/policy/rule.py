"""A rule: which skills it shows, in which variants, and for whom it holds. And what it looks at in a caller. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from gateway.provider import DEFAULT_VARIANT

Claims = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a caller; nothing of an anonymous one. `key` is the name of its API key, empty without one."""

    scopes: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    key: str = ""
    claims: Claims = field(default_factory=dict[str, object])

    def claim(self, name: str) -> frozenset[str]:
        """The texts of a claim: the one of that name, or the one that its dots lead to (`realm_access.roles`)."""
        value: object = self.claims.get(name)
        if value is None:
            value = self.claims
            for step in name.split("."):
                value = _fields(value).get(step)
        found = cast("list[object]", value) if isinstance(value, list) else [value]
        return frozenset(text for text in found if isinstance(text, str))


@dataclass(frozen=True, slots=True)
class Rule:
    """Shows the skills that one of `paths` names to every caller for whom each condition holds.

    `paths` are globs of `gateway.policy.globs`: `acme/**` is `acme` and all below it, `acme` that skill alone.
    `variants` are the views it is good for, `default` the one without a name; none means all of them.
    `scopes`, `groups`, `keys` (names of API keys) and each of `claims` are conditions when they are not
    empty, and hold when the caller has one of the texts; without any the rule holds for everybody.
    `default_variant`: the view that callers of this rule get when they name none; empty for no say in it.
    """

    paths: tuple[str, ...]
    variants: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    default_variant: str = ""

    def holds_for(self, facts: Facts) -> bool:
        conditions = [
            (self.scopes, facts.scopes),
            (self.groups, facts.groups),
            (self.keys, frozenset((facts.key,))),
            *((wanted, facts.claim(name)) for name, wanted in self.claims.items()),
        ]
        return all(not wanted or not found.isdisjoint(wanted) for wanted, found in conditions)

    @property
    def has_conditions(self) -> bool:
        """Whether it depends on who calls."""
        return bool(self.scopes or self.groups or self.keys or self.claims)

    def is_for(self, variant: str) -> bool:
        """Whether it is good for a variant; the one without a name has two."""
        return not self.variants or (variant or DEFAULT_VARIANT) in self.variants


def _fields(value: object) -> Claims:
    return cast("Claims", value) if isinstance(value, Mapping) else {}
