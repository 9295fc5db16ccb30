"""Requests to send to both: a good one of each method and era, and ways to spoil it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.protocol.host import META, REVISIONS, Era, headers_of, with_meta

Headers = tuple[tuple[bytes, bytes], ...]

GOOD: dict[str, dict[str, Any]] = {
    "skills/list": {},
    "skills/get": {"uri": "skill://team/x/SKILL.md"},
    "resources/read": {"uri": "skill://team/x/SKILL.md"},
}


@dataclass(frozen=True)
class Case:
    """One request. `is_plain`: the lane must answer it; otherwise it must not."""

    name: str
    body: bytes
    headers: Headers
    is_plain: bool = False

    def with_header(self, name: str, value: str | bytes | None, label: str = "") -> "Case":
        """Another value under a header, or none; an odd request until it is called plain."""
        key = name.lower().encode()
        raw = value.encode("latin-1") if isinstance(value, str) else value
        kept = tuple(pair for pair in self.headers if pair[0] != key)
        headers = kept if raw is None else (*kept, (key, raw))
        return replace(self, name=f"{self.name}, {label or f'{name}: {value!r}'}", headers=headers, is_plain=False)

    def twice(self, name: str, value: str, *, first: bool = False) -> "Case":
        """The header once more, with some value."""
        more = ((name.lower().encode(), value.encode("latin-1")),)
        headers = more + self.headers if first else self.headers + more
        return replace(self, name=f"{self.name}, one more {name}: {value!r} {first=}", headers=headers, is_plain=False)

    def with_body(self, body: bytes, label: str) -> "Case":
        return replace(self, name=f"{self.name}, {label}", body=body, is_plain=False)

    def plain(self) -> "Case":
        return replace(self, is_plain=True)


def good(era: Era, method: str, params: Mapping[str, Any] | None = None, *, name: str = "", **fields: Any) -> Case:
    """A request that is as it must be; `fields` replace those of JSON-RPC."""
    params = GOOD[method] if params is None else params
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(era, params), **fields}
    headers = tuple((k.lower().encode(), v.encode("latin-1")) for k, v in headers_of(era, method, params).items())
    return Case(f"{era} {method} {name}".strip(), dumped(message), headers, is_plain=True)


def dumped(message: Any) -> bytes:
    return json.dumps(message).encode()


def changed(case: Case, label: str, **fields: Any) -> Case:
    """The request with other fields of JSON-RPC; `...` takes one away."""
    message = {**json.loads(case.body), **fields}
    return case.with_body(dumped({key: value for key, value in message.items() if value is not ...}), label)


def with_params(case: Case, label: str, **params: Any) -> Case:
    """The request with other parameters; `...` takes one away."""
    before = json.loads(case.body)["params"]
    after = {key: value for key, value in {**before, **params}.items() if value is not ...}
    return changed(case, label, params=after)


def with_meta_key(case: Case, key: str, value: Any) -> Case:
    """The request with another value under a key of `_meta`, in the SDK's namespace unless it has a dot in front."""
    meta = dict(json.loads(case.body)["params"].get("_meta", {}))
    full = key[1:] if key.startswith(".") else META + key
    meta[full] = value
    if value is ...:
        del meta[full]
    return with_params(case, f"_meta {full}: {value!r}", _meta=meta)


def every(*eras: Era) -> Iterator[Case]:
    for era in eras or ("modern", "legacy"):
        for method in GOOD:
            yield good(era, method)


MODERN = REVISIONS["modern"]
