"""The corpus of the differential test: what clients send, and what none should."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from gateway.cursor import CursorScope, CursorSealer, CursorState
from gateway.provider import Caller
from tests.lane.apps import NOW
from tests.lane.requests import GOOD, MODERN, Case, changed, dumped, every, good, with_meta_key, with_params
from tests.protocol.host import ERAS, META
from tests.protocol.providers import KEY
from tests.protocol.uris import NOTHING, REFUSED, SERVED

IDS: list[Any] = [0, -1, 2**53 - 1, 1 - 2**53, "", "1", "a", "é", "\u2028", "x" * 5000, '"', "\x00"]
ODD_IDS: list[Any] = [
    2**53,
    2**63,
    2**64,
    2**70,
    -(2**63),
    -(2**70),
    1.0,
    1.5,
    True,
    False,
    None,
    "\ud800",
    [],
    {},
    [1],
]
WRONG: list[Any] = [None, 5, 1.5, True, [], {}, ["x"], {"a": "b"}]
URIS = [*SERVED, *NOTHING, *REFUSED]
MORE_URIS = [
    *("skill://outer/SKILL.md", "skill://outer/inner/SKILL.md", "skill://outer/inner/f.txt", "skill://outer/f.txt"),
    *("skill://bin/a.png", "skill://bin/SKILL.md", "skill://many/SKILL.md", "skill://many/39.txt"),
    *("skill://many/40.txt", "skill://dyn/SKILL.md", "skill://dyn/any/thing.txt", "skill://a-b/SKILL.md"),
    *("skill://team/x/caf%c3%a9", "skill://t\u00e9am/x", "skill://team/x/\udcff", "\ud800"),
]
FIRST = CursorState("", int(NOW) + 1000, 3, "3")
LIST = CursorScope("skills/list")


def sealed(state: CursorState = FIRST, scope: CursorScope = LIST, key: bytes = KEY) -> str:
    return CursorSealer([key]).seal(state, scope)


CURSORS = {
    "second page": sealed(),
    "last page": sealed(CursorState("", int(NOW) + 1, 9, "9")),
    "past the end": sealed(CursorState("", int(NOW) + 1, 900, "900")),
}
BAD_CURSORS: dict[str, Any] = {
    "expired": sealed(CursorState("", int(NOW), 3, "3")),
    "of another variant": sealed(CursorState("canary", int(NOW) + 1000, 3, "3")),
    "of another method": sealed(scope=CursorScope("resources/list")),
    "of a directory": sealed(scope=CursorScope("resources/directory/read", (("uri", "outer"),))),
    "of another principal": sealed(scope=CursorScope("skills/list", (), Caller("i", "c", "s").principal)),
    "of another key": sealed(key=b"o" * 32),
    "altered": sealed()[:-1] + "AB"[sealed()[-1] == "A"],
    "cut": sealed()[:-2],
    "longer": sealed() + "A",
    "padded": sealed() + "=",
    "empty": "",
    "blank": " ",
    "no base64": "!",
    "short": "AAAA",
    "too long": "A" * 9000,
    "not ascii": "é",
    "surrogate": "\ud800",
    **{f"wrong type {value!r}": value for value in WRONG},
}


def corpus() -> Iterator[Case]:
    for part in (everyday, uris, cursors, envelopes, texts, parameters, headers, routing_headers, metas):
        yield from part()


def everyday() -> Iterator[Case]:
    yield from every()
    for era in ERAS:
        for other in ("resources/list", "resources/templates/list", "resources/directory/read", "tools/list", "ping"):
            yield good(era, other, {"uri": "skill://outer"} if "read" in other else {}).with_header("X-Odd", "1")
    for case in every("modern"):
        yield case.with_header("Mcp-Session-Id", "0123.skills")
    for case in every("legacy"):
        yield changed(case, "modern _meta", params=json.loads(good("modern", "skills/get").body)["params"])
        yield with_params(case, "empty _meta", _meta={})
        yield with_params(case, "progress", _meta={"progressToken": 1})
        yield case.with_header("Mcp-Method", "whatever").plain()
        yield case.with_header("Mcp-Name", "whatever").plain()
        yield case.with_header("Mcp-Session-Id", "0123.skills").plain()
        yield case.with_header("Mcp-Session-Id", "0123.skills.x")
        for revision in ("2025-06-18", "2025-03-26", "2024-11-05", None):
            yield case.with_header("MCP-Protocol-Version", revision).plain()
    yield changed(good("legacy", "skills/list"), "without params", params=...).plain()


def uris() -> Iterator[Case]:
    for era in ERAS:
        for method in ("skills/get", "resources/read"):
            for uri in [*URIS, *MORE_URIS]:
                case = good(era, method, {"uri": uri}, name=ascii(uri)[:80])
                yield case if is_served(method, uri) else changed(case, "odd")


def is_served(method: str, uri: str) -> bool:
    """Whether the lane can have the answer: what is served from memory, and not made when it is asked for."""
    if method == "resources/read" and uri.startswith("skill://dyn/"):
        return False
    is_here = uri in SERVED or (uri in MORE_URIS[:8] and "outer/f.txt" not in uri) or "dyn/SKILL" in uri
    is_here = is_here or uri == "skill://team/x/caf%c3%a9"
    return is_here and (method == "resources/read" or uri.lower().endswith("/skill.md"))


def cursors() -> Iterator[Case]:
    for era in ERAS:
        for name, cursor in CURSORS.items():
            yield good(era, "skills/list", {"cursor": cursor}, name=name)
        for name, cursor in BAD_CURSORS.items():
            yield changed(good(era, "skills/list", {"cursor": cursor}, name=f"cursor {name}"), "odd")
    for case in every():
        if "list" not in case.name:
            yield with_params(case, "with a cursor", cursor=sealed())


def envelopes() -> Iterator[Case]:
    for case in every():
        for identifier in IDS:
            yield changed(case, f"id {ascii(identifier)[:40]}", id=identifier).plain()
        for identifier in [*ODD_IDS, ...]:
            yield changed(case, f"odd id {ascii(identifier)[:40]}", id=identifier)
        for version in ("1.0", "2", 2.0, 2, None, True, "2.0 ", ...):
            yield changed(case, f"jsonrpc {version!r}", jsonrpc=version)
        for method in (None, 5, "", "nothing", "Skills/List", "skills/list ", "tools/list", "initialize", [], ...):
            yield changed(case, f"method {method!r}", method=method)
        for extra in ({"x": 1}, {"result": {}}, {"error": {"code": 1, "message": ""}}, {"Method": "x"}, {"": None}):
            yield changed(case, f"also {extra}", **extra)
        whole = json.loads(case.body)
        for odd in ([], [whole], [whole, whole], None, 1, "x", True, {}):
            yield case.with_body(dumped(odd), f"body {str(odd)[:20]}")


def texts() -> Iterator[Case]:
    """Bytes that are no JSON, or JSON that parsers do not agree about."""
    for case in every():
        text = case.body.decode()
        yield case.with_body(b"", "empty body")
        yield case.with_body(f" \t\r\n{text}\n ".encode(), "blanks around").plain()
        yield case.with_body(text.replace("/", "\\/").encode(), "escaped slashes").plain()
        yield case.with_body(text.replace("skill", "\\u0073kill").encode(), "escaped letters").plain()
        yield case.with_body(b"\xef\xbb\xbf" + case.body, "byte order mark")
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
            yield case.with_body(text.encode(encoding), encoding)
        for odd in ("x", ",", "{}", "\x00", "\x0c", "//", "}"):
            yield case.with_body(f"{text}{odd}".encode(), f"{odd!r} behind")
        yield case.with_body(text[:-1].encode(), "cut")
        yield case.with_body(text.replace('"', "'").encode(), "single quotes")
        for odd in ("NaN", "Infinity", "-Infinity", "1e400", "01", "1.", "+1", "-", "0x1", "tru", "\ud800", '"\t"'):
            raw = text.replace('"id": 1', f'"id": {odd}').encode(errors="surrogatepass")
            yield case.with_body(raw, f"id {odd!a} as text")
        yield case.with_body(text.replace('"id": 1', '"id": -0').encode(), "id -0").plain()
        for number in ("1e0", "1E2", "0.0"):
            yield case.with_body(text.replace('"id": 1', f'"id": {number}').encode(), f"id {number}, spelled so")
        for odd in ("NaN", "1e400", "1e30", "9" * 5000, "[" * 60 + "]" * 60, "[" * 200 + "]" * 200, '"\\ud800"'):
            yield case.with_body(f'{text[:-1]}, "x": {odd}}}'.encode(), f"a field {odd[:20]}")
        for odd in (b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"):
            yield case.with_body(case.body.replace(b'"id": 1', b'"id": "' + odd + b'"'), f"id of bytes {odd!r}")
        yield from repeated(case)


def repeated(case: Case) -> Iterator[Case]:
    """A key twice: the last one counts, to every parser."""
    text = case.body.decode()
    for key, value in (
        ("id", "2"),
        ("jsonrpc", '"1.0"'),
        ("method", '"nothing"'),
        ("params", "[]"),
        ("params", "null"),
    ):
        front = case.with_body(f'{{"{key}": {value}, {text[1:]}'.encode(), f"{key} {value} before")
        yield front.plain()
        behind = case.with_body(f'{text[:-1]}, "{key}": {value}}}'.encode(), f"{key} {value} behind")
        yield behind.plain() if key == "id" else behind


def parameters() -> Iterator[Case]:
    for case in every():
        for params in (None, [], "x", 5, True, ["uri"], ...):
            if not (params is ... and "legacy skills/list" in case.name):
                yield changed(case, f"params {params!r}", params=params)
        for extra in ({"x": 1}, {"limit": 5}, {"URI": "skill://team/x/SKILL.md"}, {"requestState": "x"}):
            yield with_params(case, f"also {extra}", **extra)
        if "list" not in case.name:
            for uri in [*WRONG, ...]:
                yield with_params(case, f"uri {uri!r}", uri=uri)
        for meta in (None, [], "x", 5, True):
            yield with_params(case, f"_meta {meta!r}", _meta=meta)


def headers() -> Iterator[Case]:
    for case in every():
        for value in (
            "application/json; charset=utf-8",
            "application/json;",
            "application/json ; a=b",
            " application/json\t",
        ):
            yield case.with_header("Content-Type", value).plain()
        for value in (
            *(
                "",
                "APPLICATION/JSON",
                "application/jsonx",
                "application/json, text/plain",
                "text/plain,application/json",
            ),
            *("text/plain", "text/json", "application/*", "application/json+x", "json", "application/json\xa0", None),
        ):
            yield case.with_header("Content-Type", value)
        for value in (
            *("application/json", "*/*", "application/*", "text/html, application/json", "APPLICATION/JSON"),
            *("application/json;q=0", "text/event-stream,application/json;q=0.1", "*/*;q=0.8", " application/json "),
        ):
            yield case.with_header("Accept", value).plain()
        for value in ("", "text/event-stream", "text/*", "json", "application/jsonx", "*", ",", None):
            yield case.with_header("Accept", value)
        for name, value in (
            ("Content-Type", "application/json"),
            ("Content-Type", "text/plain"),
            ("Accept", "text/html"),
        ):
            yield case.twice(name, value)
            yield case.twice(name, value, first=True)
        for value in ("", "abc", "0" * 32):
            yield case.with_header("Mcp-Session-Id", value)
        for name in (
            "Last-Event-ID",
            "Authorization",
            "Mcp-Param-X",
            "traceparent",
            "X-Forwarded-For",
            "Cookie",
            "Origin",
        ):
            value = "http://127.0.0.1" if name == "Origin" else "whatever"
            yield case.with_header(name, value).plain()
        yield case.with_header("Content-Length", "70000")
        yield case.with_header("Content-Length", "9" * 5000, "a length of many digits")
        yield case.with_header("Origin", "http://evil.com")
        yield case.twice("Host", "127.0.0.1")


def routing_headers() -> Iterator[Case]:
    for case in every():
        yield case.with_header("MCP-Protocol-Version", f"\t{_version(case)} ").plain()
        for value in (
            "",
            "2099-01-01",
            "1900-01-01",
            "2026-07-28x",
            "2025-11-25 2026-07-28",
            "2026-07-28\xa0",
            "latest",
        ):
            yield case.with_header("MCP-Protocol-Version", value)
        for value in (MODERN, "2025-11-25", "", "2099-01-01"):
            yield case.twice("MCP-Protocol-Version", value)
            yield case.twice("MCP-Protocol-Version", value, first=True)
    for case in every("modern"):
        for value in (None, "2025-11-25", "2025-03-26"):
            yield case.with_header("MCP-Protocol-Version", value)
        method = json.loads(case.body)["method"]
        yield case.with_header("Mcp-Method", f"  {method}\t").plain()
        for value in (None, "", method.upper(), "tools/list", encoded(method), f"{method}/"):
            yield case.with_header("Mcp-Method", value)
        for name, value in (("Mcp-Method", method), ("Mcp-Method", "x"), ("Mcp-Name", GOOD["skills/get"]["uri"])):
            yield (
                case.twice(name, value)
                if name != "Mcp-Name" or "read" in case.name
                else case.twice(name, value).plain()
            )
        if "list" not in case.name:
            yield from names(case)
        else:
            yield case.with_header("Mcp-Name", "whatever").plain()


def names(case: Case) -> Iterator[Case]:
    """`Mcp-Name` repeats the URI of `resources/read`, and is nothing to the others."""
    uri = GOOD["skills/get"]["uri"]
    for value in (uri, f" {uri} ", encoded(uri)):
        yield case.with_header("Mcp-Name", value).plain()
    loose = base64.b64encode(uri.encode()).decode().rstrip("=")
    for value in (
        *(None, "", uri.upper(), "SKILL://team/x/SKILL.md", "skill://team/x/%53KILL.md", f'"{uri}"', "=?base64??="),
        *(f"=?base64?{loose}?=", "=?base64?%?=", f"=?BASE64?{loose}==?=", "=?base64?/w==?=", encoded(encoded(uri))),
    ):
        odd = case.with_header("Mcp-Name", value)
        yield odd if "read" in case.name else odd.plain()
    foreign = good("modern", "resources/read", {"uri": "skill://t\u00e9am/x/SKILL.md"}, name="not ascii")
    yield foreign
    yield foreign.with_header("Mcp-Name", "skill://t\u00e9am/x/SKILL.md".encode(), "as UTF-8")
    yield foreign.with_header("Mcp-Name", "skill://t\u00e9am/x/SKILL.md", "as latin-1").plain()


def metas() -> Iterator[Case]:
    info = {"name": "n", "version": "1"}
    for case in every("modern"):
        for client in (info, None, {**info, "title": "T"}, {**info, "websiteUrl": "https://example.com"}):
            yield with_meta_key(case, "clientInfo", client).plain()
        yield with_meta_key(case, "clientInfo", ...).plain()
        for client in (
            *WRONG[1:],
            {"name": 1, "version": "1"},
            {"name": "n"},
            {**info, "icons": 5},
            {**info, "icons": [{}]},
        ):
            yield with_meta_key(case, "clientInfo", client)
        for offers in (
            {},
            {"roots": {}},
            {"extensions": {"io.modelcontextprotocol/skills": {}}},
            {"experimental": {"a": {}}},
        ):
            yield with_meta_key(case, "clientCapabilities", offers).plain()
        for offers in (
            None,
            5,
            [],
            "x",
            True,
            {"extensions": 5},
            {"roots": 5},
            {"experimental": []},
            {"sampling": "x"},
            ...,
        ):
            yield with_meta_key(case, "clientCapabilities", offers)
        for version in (None, 5, "", "2025-11-25", "2099-01-01", [MODERN], {}, f" {MODERN}", ...):
            yield with_meta_key(case, "protocolVersion", version)
        for token in (1, "a", "", None, 1.5, True, {}):
            yield with_meta_key(case, ".progressToken", token)
        for key in (
            "serverInfo",
            "logLevel",
            "server-variant",
            "subscriptionId",
            "x",
            ".traceparent",
            ".tracestate",
            ".x",
            ".",
        ):
            yield with_meta_key(case, key, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        bulky = {"experimental": {f"k{number}": {"v": "x" * 100} for number in range(40)}}
        yield with_meta_key(case, "clientCapabilities", bulky)
        yield with_meta_key(case, "clientCapabilities", {"experimental": {"n": {"v": 2**70}}}).plain()
    assert META in good("modern", "skills/list").body.decode()


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def _version(case: Case) -> str:
    return MODERN if case.name.startswith("modern") else "2025-11-25"
