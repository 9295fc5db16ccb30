"""Plain requests that come again, told by their bytes: the same fields that count, the same body but for its id.

A host sends few different requests, many times. What was found about one (that its header and its body agree
about the revision, that it names no variant, what it asks) hangs on nothing else, so that it need not be parsed again.
"""

import re

from gateway.web.body import Fields
from gateway.web.plain import PlainRequest, judged_fields

_VERSION, _ID = rb'"jsonrpc": ?"2\.0"', rb'"id": ?(0|[1-9][0-9]{0,14})'
_FIRST = re.compile(rb"\{" + _VERSION + rb", ?" + _ID + rb"[,}]")
_LAST = re.compile(_VERSION + rb", ?" + _ID + rb"\}")
"""Where SDKs put the id: right behind the version, at the start of the body or at its end."""
_MAX_BYTES = 2048
"""Of a body and of the fields that count, each, to be remembered."""
_MAX_KNOWN = 1024

_Key = tuple[bytes | None, ...]


class Repeats:
    """The plain requests of one process. All are forgotten when there are too many: order costs more than it saves."""

    def __init__(self) -> None:
        self._known = dict[_Key, PlainRequest]()

    def find(self, fields: Fields, data: bytes) -> PlainRequest | None:
        """The request, if one like it was learned; its verdicts are those of that one."""
        found = _id_in(data)
        if found is None or fields.repeated:
            return None
        known = self._known.get(_key(fields, data, found))
        return None if known is None else known._replace(id=int(found[1]))

    def learn(self, fields: Fields, data: bytes, request: PlainRequest) -> None:
        """Remember a request that all layers found to be plain."""
        found = _id_in(data)
        # One id, and spelled as it is, or the next one like it may mean another.
        if found is None or fields.repeated or data.count(b'"id"') != 1 or b"\\" in data:
            return
        key = _key(fields, data, found)
        if len(data) > _MAX_BYTES or sum(len(value or b"") for value in key) - len(data) > _MAX_BYTES:
            return
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known[key] = request


def _id_in(data: bytes) -> re.Match[bytes] | None:
    """The match whose first group is the id, when it stands where SDKs put it."""
    return _FIRST.match(data) or _LAST.fullmatch(data, max(0, data.rfind(b'"jsonrpc"')))


def _key(fields: Fields, data: bytes, found: re.Match[bytes]) -> _Key:
    begin, end = found.span(1)
    return (data[:begin] + data[end:], *judged_fields(fields))
