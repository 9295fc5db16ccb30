"""Cursors to pages and back: what a client holds against what a provider means.

The clock comes in as an argument. The end of a cursor's life is rounded up, so that the same request
gets the same cursor for a while. Source: MCP base protocol, Pagination.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from gateway.cursor import CursorScope, CursorSealer, CursorState
from gateway.errors import CursorRefused, ForeignVariant
from gateway.protocol.options import AdapterOptions
from gateway.provider import DEFAULT_VARIANT, Caller, Page

_STEPS = 12
"""A cursor lives for its time and up to a twelfth of it more."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pager:
    """Opens and seals the cursors of one adapter."""

    options: AdapterOptions
    sealer: CursorSealer
    now: Callable[[], float] = time.time

    def open(self, cursor: str | None, scope: CursorScope, caller: Caller) -> Page:
        """The page a request asks for. Raises CursorRefused; why is logged, never sent."""
        if cursor is None:
            return Page(self.options.page_size)
        try:
            return self._unseal(cursor, scope, caller)
        except CursorRefused as refused:
            logger.info("cursor of %s refused: %s", scope.method, refused.cause)
            raise

    def try_open(self, cursor: str | None, scope: CursorScope, caller: Caller) -> Page | None:
        """The page, when the cursor was sealed for this scope; None for any other, or none."""
        try:
            return None if cursor is None else self._unseal(cursor, scope, caller)
        except CursorRefused:
            return None

    def seal(self, position: str | None, page: Page, served: int, scope: CursorScope, caller: Caller) -> dict[str, str]:
        """`{"nextCursor": …}`, or nothing after the last page: the field is absent then, never empty."""
        if position is None:
            return {}
        state = CursorState(caller.variant, self.expires_at(), page.offset + served, position)
        return {"nextCursor": self.sealer.seal(state, scope)}

    def expires_at(self) -> int:
        """When a cursor that is sealed now ends; the same for a while."""
        step_s = max(1, self.options.cursor_ttl_s // _STEPS)
        return (int(self.now()) // step_s + 1) * step_s + self.options.cursor_ttl_s

    def _unseal(self, cursor: str, scope: CursorScope, caller: Caller) -> Page:
        state = self.sealer.unseal(cursor, scope, now=self.now())
        if state.variant != caller.variant:
            raise self._foreign(state.variant, caller.variant)
        return Page(self.options.page_size, state.offset, state.position)

    def _foreign(self, cursor_variant: str, requested: str) -> CursorRefused:
        if not self.options.tells_variants:
            return CursorRefused("foreign_variant")
        return ForeignVariant(cursor_variant or DEFAULT_VARIANT, requested or DEFAULT_VARIANT)
