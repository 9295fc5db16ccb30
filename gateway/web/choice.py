"""The ASGI layer that lets a request name its variant in `params._meta` (SEP-2053), or refuses that it does.

It stands behind the one that says who calls, and changes what that one said.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.protocol.caller import caller_var, current_caller
from gateway.protocol.variants import META_KEY, NOT_SUPPORTED, VariantFault, no_such_variant, variant_fault
from gateway.provider import DEFAULT_VARIANT, Caller
from gateway.web.body import Body

_NONE = object()


@dataclass(frozen=True, slots=True)
class Choices:
    """Paths of endpoints where a request may choose, and what each caller may choose from."""

    endpoints: frozenset[str]
    seen_by: Callable[[Caller], Sequence[str]]


class VariantChoice:
    """Wraps `app`. Without `choices` no request may choose."""

    def __init__(self, app: ASGIApp, choices: Choices | None = None) -> None:
        self._app, self._choices = app, choices

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wanted = _wanted(receive) if isinstance(receive, Body) else _NONE
        if wanted is _NONE:
            await self._app(scope, receive, send)
            return
        settled = self._settled(wanted, current_caller(), scope["path"])
        caller_token, fault_token = caller_var.set(settled[0]), variant_fault.set(settled[1])
        try:
            await self._app(scope, receive, send)
        finally:
            variant_fault.reset(fault_token)
            caller_var.reset(caller_token)

    def _settled(self, wanted: object, caller: Caller, endpoint: str) -> tuple[Caller, VariantFault | None]:
        if self._choices is None:
            return caller, NOT_SUPPORTED
        seen: Iterable[str] = self._choices.seen_by(caller)
        if endpoint not in self._choices.endpoints:
            seen = [name for name in seen if name == caller.variant]
        found = next((name for name in seen if wanted == (name or DEFAULT_VARIANT)), None)
        if found is None:
            return caller, no_such_variant(wanted, tuple(seen))
        return replace(caller, variant=found), None


def _wanted(body: Body) -> object:
    """What the request's `_meta` says under the key; _NONE when it does not."""
    request = body.decoded
    params = cast("dict[str, Any]", request).get("params") if type(request) is dict else None
    meta = cast("dict[str, Any]", params).get("_meta") if type(params) is dict else None
    return cast("dict[str, Any]", meta).get(META_KEY, _NONE) if type(meta) is dict else _NONE
