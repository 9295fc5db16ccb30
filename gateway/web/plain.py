"""Requests that need nothing unusual: told apart from all others, whose judge is the SDK.

A request is plain when every rule of the SDK for its revision is seen to hold: in its headers, in the
envelope of JSON-RPC, in its parameters. Whatever is not known here (another field, another key of
`_meta`, a second header of one name) makes it one of the others; so nothing is refused here, and
nothing that a newer SDK may mind is let through.

Source: `mcp` 2.3, server/_streamable_http_modern.py and server/streamable_http.py; MCP 2026-07-28 and
2025-11-25, Streamable HTTP.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import orjson
from cachetools import LRUCache
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.inbound import (
    NAME_BEARING_METHODS,
    InboundModernRoute,
    classify_inbound_request,
    decode_header_value,
)
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    PaginatedRequestParams,
)
from mcp_types.methods import validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request

from gateway.web.body import Fields
from gateway.web.declared import DECLARED

ARGUMENTS: Mapping[str, str] = {"skills/list": "cursor", "skills/get": "uri", "resources/read": "uri"}
"""The methods that may be plain, and the one parameter each has."""

_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params"})
_META = frozenset({PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY})
_CONTENT_TYPE, _ACCEPT, _VERSION = b"content-type", b"accept", b"mcp-protocol-version"
_METHOD, _NAME, _SESSION = b"mcp-method", b"mcp-name", b"mcp-session-id"
_JUDGED = frozenset({_CONTENT_TYPE, _ACCEPT, _VERSION, _METHOD, _NAME, _SESSION})
_NAMES = {_VERSION: "mcp-protocol-version", _METHOD: "mcp-method", _NAME: "mcp-name"}
_NO_PARAMS: dict[str, object] = {}
_ODD_PARAMS: dict[str, object] = {"": None}
_SAFE_INTEGER = 2**53 - 1
_MEMO = 256
_MAX_MEMO_KEY_BYTES = 2048


def judged_fields(fields: Fields) -> tuple[bytes | None, ...]:
    """The header fields that decide whether a request is plain."""
    get = fields.get
    return get(_CONTENT_TYPE), get(_ACCEPT), get(_VERSION), get(_METHOD), get(_NAME), get(_SESSION)


class PlainRequest(NamedTuple):
    """What a plain request asks: `argument` is a cursor (None on the first page) or a URI."""

    id: int | str
    method: str
    argument: str | None
    is_modern: bool


class PlainRequests:
    """Finds plain requests; remembers the headers and the `_meta` that every request of a client repeats."""

    def __init__(self) -> None:
        self._eras = LRUCache[tuple[bytes | None, ...], bool | None](_MEMO)
        self._routed = LRUCache[tuple[object, ...], bool](_MEMO)

    def find(self, fields: Fields, decoded: object) -> PlainRequest | None:
        """The plain request, or None. `fields` without blanks around values; `decoded` is what the body holds."""
        # One that comes twice is for the SDK to read, and a session, of which there is none but ours, to refuse.
        session = fields.get(_SESSION)
        if type(decoded) is not dict or not _JUDGED.isdisjoint(fields.repeated):
            return None
        if session is not None and not session.endswith(DECLARED):
            return None
        request = cast("dict[str, object]", decoded)
        identifier, method, argument = _call_of(request)
        is_modern = None if method is None else self._era(fields)
        if method is None or is_modern is None or (is_modern and session is not None):
            return None
        if not (self._is_modern(request, fields) if is_modern else "_meta" not in _params(request)):
            return None
        return PlainRequest(identifier, method, argument, is_modern)

    def _era(self, fields: Fields) -> bool | None:
        """True for the modern era, False for the handshake one, None when a header is not as it must be."""
        key = (fields.get(_CONTENT_TYPE), fields.get(_ACCEPT), fields.get(_VERSION))
        try:
            return self._eras[key]
        except KeyError:
            era = _era_of(*key)
        if sum(len(value) for value in key if value is not None) <= _MAX_MEMO_KEY_BYTES:
            self._eras[key] = era
        return era

    def _is_modern(self, request: Mapping[str, object], fields: Fields) -> bool:
        """Whether `_meta` and the headers that repeat the body are as the modern revision wants them."""
        meta = _params(request).get("_meta")
        if type(meta) is not dict or not _META.issuperset(cast("dict[str, object]", meta)):
            return False
        written = orjson.dumps(meta)
        if len(written) > _MAX_MEMO_KEY_BYTES:
            return False
        # All that the classifier and the models look at, but for a URI and the header that repeats it.
        key = (written, fields.get(_VERSION), fields.get(_METHOD), request["method"])
        if key in self._routed:
            return _is_named(request, fields)
        if is_routed := _is_routed(request, fields) and _is_valid_meta(cast("dict[str, object]", meta)):
            self._routed[key] = True
        return is_routed


def _call_of(request: Mapping[str, Any]) -> tuple[int | str, str | None, str | None]:
    """Id, method and argument of a JSON-RPC request of one of ours; no method when anything is odd about it."""
    identifier, method, params = request.get("id"), request.get("method"), _params(request)
    odd = (0, None, None)
    if type(method) is not str or method not in ARGUMENTS or request.get("jsonrpc") != "2.0":
        return odd
    # By exact type, because True is an int too; a number past this one is not the same to every parser.
    if type(identifier) is int:
        if not -_SAFE_INTEGER <= identifier <= _SAFE_INTEGER:
            return odd
    elif type(identifier) is not str:
        return odd
    name = ARGUMENTS[method]
    if not _ENVELOPE.issuperset(request) or not (params.keys() <= {name, "_meta"}):
        return odd
    argument = params.get(name)
    is_first_page = name == "cursor" and name not in params
    return (identifier, method, argument) if is_first_page or type(argument) is str else odd


def _params(request: Mapping[str, Any]) -> Mapping[str, Any]:
    params = request.get("params", _NO_PARAMS)
    return cast("dict[str, Any]", params) if type(params) is dict else _ODD_PARAMS


def _era_of(content_type: bytes | None, accept: bytes | None, version: bytes | None) -> bool | None:
    if (content_type or b"").partition(b";")[0].rstrip(b" \t") != b"application/json":
        return None
    has_json, _ = check_accept_headers(Request({"type": "http", "headers": [(_ACCEPT, accept or b"")]}))
    revision = None if version is None else version.decode("latin-1")
    if not has_json:
        return None
    if revision is None or revision in HANDSHAKE_PROTOCOL_VERSIONS:
        return False
    return True if revision in MODERN_PROTOCOL_VERSIONS else None


def _is_routed(request: Mapping[str, object], fields: Fields) -> bool:
    """The SDK's own verdict on `_meta` against headers and body."""
    # latin-1, as the SDK reads them; the other headers are nothing to the classifier.
    found = ((text, fields.get(name)) for name, text in _NAMES.items())
    headers = {text: value.decode("latin-1") for text, value in found if value is not None}
    return isinstance(classify_inbound_request(request, headers=headers), InboundModernRoute)


def _is_named(request: Mapping[str, object], fields: Fields) -> bool:
    """The part of that verdict which is another for each URI."""
    key = NAME_BEARING_METHODS.get(cast("str", request["method"]))
    if key is None:
        return True
    header = fields.get(_NAME)
    if header is None:
        return False
    text, named = header.decode("latin-1"), _params(request).get(key)
    # Only a text that begins like an encoded one has another meaning than its own.
    return (text if not text.startswith("=?") else decode_header_value(text)) == named


def _is_valid_meta(meta: Mapping[str, Any]) -> bool:
    """Whether the SDK's own models take a `_meta`: the one of core methods, and the one of the extension's."""
    version = meta[PROTOCOL_VERSION_META_KEY]
    try:
        validate_client_request("resources/read", version, {"uri": "skill://a/b", "_meta": meta})
        PaginatedRequestParams.model_validate({"_meta": meta}, by_name=False)
    except ValidationError:
        return False
    return True
