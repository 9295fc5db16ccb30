"""The innermost ASGI layer: says who calls and what of, answers from memory what it can, and hands on the rest.

One layer and not four, because every request passes here and each layer costs as much as what it does.
"""

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.protocol.caller import caller_var
from gateway.protocol.variants import VariantFault, variant_fault
from gateway.provider import Caller
from gateway.web.body import Body
from gateway.web.callers import Callers
from gateway.web.choice import UNSAID, VariantChoice, wanted_variant
from gateway.web.lane import Lane
from gateway.web.rates import PrincipalRate


class Dispatch:
    """Wraps `app`, the router of a running app that has `lanes` in its state; `rate` is None for no limit."""

    def __init__(
        self,
        app: ASGIApp,
        endpoints: Iterable[str],
        callers: Callers,
        choice: VariantChoice,
        rate: PrincipalRate | None = None,
    ) -> None:
        self._app, self._endpoints = app, frozenset(endpoints)
        self._callers, self._choice, self._rate = callers, choice, rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = self._callers.find(scope)
        if self._rate is not None and (refusal := self._rate.refusal(caller)) is not None:
            await refusal(scope, receive, send)
            return
        fault: VariantFault | None = None
        if isinstance(receive, Body):  # what the guard has read
            # A plain request names no variant.
            wanted = UNSAID if receive.plain is not None else wanted_variant(receive)
            if wanted is not UNSAID:
                caller, fault = self._choice.settle(wanted, caller, scope["path"])
            elif (answer := self._from_memory(scope, receive, caller)) is not None:
                await _send(answer, send)
                return
        await self._by_the_sdk(caller, fault, scope, receive, send)

    def _from_memory(self, scope: Scope, body: Body, caller: Caller) -> bytes | None:
        # Only where the router would find an endpoint.
        if scope["path"] not in self._endpoints or scope.get("root_path"):
            return None
        lane: Lane | None = scope["state"]["lanes"][caller.variant]
        return None if lane is None else lane.answer(body, caller)

    async def _by_the_sdk(
        self, caller: Caller, fault: VariantFault | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        of_caller, of_fault = caller_var.set(caller), variant_fault.set(fault)
        try:
            await self._app(scope, receive, send)
        finally:
            variant_fault.reset(of_fault)
            caller_var.reset(of_caller)


async def _send(answer: bytes, send: Send) -> None:
    headers = [(b"content-length", b"%d" % len(answer)), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})
