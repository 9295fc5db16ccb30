"""A request that names its variant in `params._meta` (SEP-2053): the one it gets, or why it gets none."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from gateway.protocol.variants import META_KEY, NOT_SUPPORTED, VariantFault, no_such_variant
from gateway.provider import DEFAULT_VARIANT, Caller
from gateway.web.body import UNREAD, Body

UNSAID = object()


@dataclass(frozen=True, slots=True)
class Choices:
    """Paths of endpoints where a request may choose, and what each caller may choose from."""

    endpoints: frozenset[str]
    seen_by: Callable[[Caller], Sequence[str]]


class VariantChoice:
    """What requests may choose; without `choices` nothing."""

    def __init__(self, choices: Choices | None = None) -> None:
        self._choices = choices

    def settle(self, wanted: object, caller: Caller, endpoint: str) -> tuple[Caller, VariantFault | None]:
        """The caller of the variant that is wanted, or why it does not get it."""
        if self._choices is None:
            return caller, NOT_SUPPORTED
        seen: Iterable[str] = self._choices.seen_by(caller)
        if endpoint not in self._choices.endpoints:
            seen = [name for name in seen if name == caller.variant]
        found = next((name for name in seen if wanted == (name or DEFAULT_VARIANT)), None)
        if found is None:
            return caller, no_such_variant(wanted, tuple(seen))
        return replace(caller, variant=found), None


def wanted_variant(body: Body) -> object:
    """What the request's `_meta` says under the key; UNSAID when it does not."""
    request = body.decoded
    if request is UNREAD:
        request = _reread(body.data)
    params = cast("dict[str, Any]", request).get("params") if type(request) is dict else None
    meta = cast("dict[str, Any]", params).get("_meta") if type(params) is dict else None
    return cast("dict[str, Any]", meta).get(META_KEY, UNSAID) if type(meta) is dict else UNSAID


def _reread(data: bytes) -> object:
    """By a parser that reads what the SDK reads: the key must not go past it unseen."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
