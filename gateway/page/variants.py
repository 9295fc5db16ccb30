"""The pages of variants: each below a path of its own, for who may know of it.

A caller who names none gets the variant that the rules say, at the root.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from gateway.errors import NotServed
from gateway.page.links import Addresses
from gateway.provider import DEFAULT_VARIANT, Caller

PREFIX = "/variants/"
SeenBy = Callable[[Caller], Sequence[str]]
"""The variants that a caller may know of; the one without a name is an empty text."""


@dataclass(frozen=True, slots=True)
class Link:
    """A variant to go to."""

    name: str
    address: str
    is_current: bool


def caller_in(named: str, caller: Caller, seen_by: SeenBy) -> Caller:
    """The caller in a variant as a path names it. Raises NotServed for one that the caller may not know of."""
    variant = "" if named == DEFAULT_VARIANT else named
    if variant not in seen_by(caller):
        raise NotServed(f"there is no variant {named!r}")
    return replace(caller, variant=variant)


def addresses_in(named: str) -> Addresses:
    return Addresses(PREFIX + quote(named, safe=""))


def links_for(caller: Caller, seen_by: SeenBy) -> tuple[Link, ...]:
    """The variants a caller may choose from; none when there is no choice."""
    seen = seen_by(caller)
    if len(seen) < 2:
        return ()
    named = {variant: variant or DEFAULT_VARIANT for variant in seen}
    return tuple(
        Link(name, f"{addresses_in(name).base}/", variant == caller.variant) for variant, name in named.items()
    )
