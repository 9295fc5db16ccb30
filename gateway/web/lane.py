"""The fast lane: answers that are in memory, sent without going through the SDK.

It stands behind the guard, and behind whatever says who calls. A plain request whose answer is there is
answered as the SDK would answer it, byte for byte but for the spelling of the JSON; everything else goes
on to the SDK untouched, errors above all. Source: JSON-RPC 2.0 section 5; RFC 9110 section 8.
"""

import logging
from collections import Counter

import orjson

from gateway.protocol.warm import Pieces, WarmAnswers
from gateway.provider import Caller
from gateway.web.body import Body
from gateway.web.plain import PlainRequest, PlainRequests

logger = logging.getLogger(__name__)


class Lane:
    """Answers plain requests from memory. `hits` counts what it answered, by method and whether its era is modern."""

    def __init__(self, warm: WarmAnswers) -> None:
        self._warm, self._plain = warm, PlainRequests()
        self.hits = Counter[tuple[str, bool]]()

    def answer(self, body: Body, caller: Caller) -> bytes | None:
        """The whole response body, or None for a request that is the SDK's to answer."""
        request = body.plain = body.plain or self._plain.find(body.fields, body.decoded)
        result = None if request is None else self._result(request, caller, body)
        if request is None or result is None:
            return None
        self.hits[request.method, request.is_modern] += 1
        return b"".join((b'{"jsonrpc":"2.0","id":', orjson.dumps(request.id), b',"result":', *result, b"}"))

    def _result(self, request: PlainRequest, caller: Caller, body: Body) -> Pieces | None:
        try:
            is_modern = request.is_modern
            message = body.decoded if self._warm.is_audited else None
            return self._warm.answer(request.method, request.argument, caller, is_modern=is_modern, message=message)
        except Exception:
            # The SDK's way may still work, and tells the client what it may know if it does not.
            logger.exception("%s: the fast lane failed", request.method)
            return None
