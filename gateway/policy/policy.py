"""A policy: rules in order, what they grant to a caller, and what a caller with those grants sees. Pure.

Without a rule everybody sees everything. With one, nobody sees what no rule shows.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

from gateway.policy.globs import EVERYTHING
from gateway.policy.rule import Facts, Rule
from gateway.policy.sight import Sight
from gateway.provider import DEFAULT_VARIANT

Grants = frozenset[int]
"""The numbers of the rules that hold for a caller."""

_SIGHTS = 256
"""Sights that are kept compiled; a caller's is one of few, however many callers there are."""


class Policy:
    """Rules in the order they are written."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.rules = tuple(rules)
        self._sights = lru_cache(_SIGHTS)(partial(_sight, self.rules))

    def grants_of(self, facts: Facts) -> Grants:
        """The rules that hold for a caller; for an anonymous one ask with `Facts()`."""
        return frozenset(number for number, rule in enumerate(self.rules) if rule.holds_for(facts))

    def default_variant(self, grants: Grants) -> str:
        """The variant for callers who name none, by the first rule that has a say; empty for the default one."""
        said = (rule.default_variant for rule in _granted(self.rules, grants) if rule.default_variant)
        name = next(said, DEFAULT_VARIANT)
        return "" if name == DEFAULT_VARIANT else name

    def variants_of(self, grants: Grants, names: Iterable[str]) -> tuple[str, ...]:
        """Those of some variants that callers may know of: a rule shows something in them."""
        return tuple(name for name in names if not self.rules or _shown_in(self.rules, grants, name))

    def sight(self, grants: Grants, variant: str) -> Sight:
        """What callers see of a variant."""
        return self._sights(grants, variant)


def _sight(rules: Sequence[Rule], grants: Grants, variant: str) -> Sight:
    if not rules:
        return Sight((EVERYTHING,))
    return Sight(glob for rule in _shown_in(rules, grants, variant) for glob in rule.paths)


def _shown_in(rules: Sequence[Rule], grants: Grants, variant: str) -> list[Rule]:
    return [rule for rule in _granted(rules, grants) if rule.is_for(variant)]


def _granted(rules: Sequence[Rule], grants: Grants) -> list[Rule]:
    return [rule for number, rule in enumerate(rules) if number in grants]
