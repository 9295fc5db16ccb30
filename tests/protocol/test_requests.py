"""Requests that no good client sends, in both eras: refused, with the code that says whose fault it is."""

import json
from typing import Any

import pytest

from tests.protocol.host import META, REVISIONS, Era, headers_of, with_meta
from tests.protocol.providers import Answering, Shelf, dynamic_entry, host_of, static_entry

SHELF = Shelf((static_entry("a"), static_entry("b"), dynamic_entry("c")))
WRONG = [None, 7, 1.5, True, [], ["skill://a/SKILL.md"], {}, {"uri": "skill://a/SKILL.md"}]
CURSOR_TAKERS = ["skills/list", "resources/list", "resources/templates/list", "resources/directory/read"]
URI_TAKERS = ["skills/get", "resources/read", "resources/directory/read"]


def body_of(era: Era, method: str, **envelope: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(era, {}), **envelope}).encode()


@pytest.mark.parametrize("method", URI_TAKERS)
@pytest.mark.parametrize("uri", WRONG)
async def test_a_uri_of_the_wrong_type_is_invalid_params(method: str, uri: Any, era: Era) -> None:
    """[JSON-RPC 5.1] On modern `resources/read` no `Mcp-Name` header can match it, which is told first."""
    async with host_of(SHELF) as host:
        reply = await host.call(era, method, {"uri": uri})
    has_no_header = (era, method) == ("modern", "resources/read") and uri is not None
    assert reply.status == (400 if era == "modern" else 200)
    assert reply.code == (-32020 if has_no_header else -32602)


@pytest.mark.parametrize("method", URI_TAKERS)
async def test_a_missing_uri_is_invalid_params(method: str, era: Era) -> None:
    """[JSON-RPC 5.1]"""
    async with host_of(SHELF) as host:
        assert (await host.call(era, method)).code == -32602


@pytest.mark.parametrize("method", CURSOR_TAKERS)
@pytest.mark.parametrize("cursor", WRONG[1:])
async def test_a_cursor_of_the_wrong_type_is_invalid_params(method: str, cursor: Any, era: Era) -> None:
    """[MCP Pagination]"""
    async with host_of(SHELF) as host:
        assert (await host.call(era, method, {"uri": "skill://a", "cursor": cursor})).code == -32602


@pytest.mark.parametrize("method", CURSOR_TAKERS)
@pytest.mark.parametrize("cursor", ["", "x", "null", "A" * 60_000, "\ud800", "é", "1"], ids=ascii)
async def test_a_made_up_cursor_is_invalid_params(method: str, cursor: str, era: Era) -> None:
    """[ours] An empty cursor is a present one. What has no UTF-8 form is a parse error in 2025-11-25."""
    async with host_of(SHELF) as host:
        reply = await host.call(era, method, {"uri": "skill://a", "cursor": cursor})
    if cursor == "\ud800" and era == "legacy":
        assert (reply.status, reply.code) == (400, -32700)
    else:
        assert reply.error["message"] == "Invalid or expired cursor; start again without one"
        assert reply.code == -32602


async def test_a_refused_cursor_asks_the_provider_nothing(era: Era) -> None:
    """[ours]"""
    provider = Answering(got=dynamic_entry("a"))
    async with host_of(provider) as host:
        for method in CURSOR_TAKERS:
            await host.call(era, method, {"uri": "skill://a", "cursor": "x"})
    assert provider.asked == []


async def test_unknown_parameters_are_ignored(era: Era) -> None:
    """[MCP base]"""
    async with host_of(SHELF) as host:
        reply = await host.call(era, "skills/get", {"uri": "skill://a/SKILL.md", "version": [1], "cursor": 7})
    assert reply.result["skill"]["uri"] == "skill://a/SKILL.md"


@pytest.mark.parametrize("method", ["skills/put", "skills", "", "tools/list", "prompts/list", "resources/subscribe"])
async def test_an_unknown_method_is_method_not_found(method: str, era: Era) -> None:
    """[JSON-RPC 5.1]"""
    async with host_of(SHELF) as host:
        reply = await host.call(era, method, {"uri": "skill://a"})
    assert (reply.status, reply.code) == (404 if era == "modern" else 200, -32601)


BROKEN = {
    "nothing": b"",
    "no JSON": b"{",
    "no UTF-8": b"\xff\xfe",
    "NUL": b"\x00",
    "a form": b"method=skills/list",
    "an endless number": b'{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"cursor":' + b"9" * 5000 + b"}}",
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_what_is_no_json_is_a_parse_error(kind: str, era: Era) -> None:
    """[JSON-RPC 5.1]"""
    async with host_of(SHELF) as host:
        reply = await host.send(BROKEN[kind], headers_of(era, "skills/list"))
    assert reply.status == (200 if reply.message.get("id") == 1 else 400)
    # The handshake revisions read numbers without end, and then the cursor has the wrong type.
    assert reply.code in ((-32700,) if kind != "an endless number" else (-32700, -32602))


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
async def test_json_of_any_depth_is_a_parse_error(opening: str, era: Era) -> None:
    """[SDK trap: 20,000-deep JSON exhausts the stack]"""
    async with host_of(SHELF) as host:
        for deep in (opening * 10_000, '{"jsonrpc":"2.0","id":1,"method":"skills/list","params":' + opening * 8_000):
            reply = await host.send(deep.encode(), headers_of(era, "skills/list"))
            assert (reply.status, reply.message) == (
                400,
                {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error: nested too deeply"}},
            )


async def test_depth_in_utf_16_is_a_parse_error_too(era: Era) -> None:
    """[ours] U+2200 has the byte of a quote in UTF-16, behind which brackets hide; JSON on the wire is UTF-8."""
    hidden = (META + "protocolVersion ").encode().decode("utf-16-le")
    deep = '{"c":"' + hidden + '","a":"\u2200","b":' + "[" * 25_000 + '"x"'
    async with host_of(SHELF) as host:
        reply = await host.send(deep.encode("utf-16-le"), headers_of(era, "skills/list"))
    assert (reply.status, reply.code) == (400, -32700)


async def test_a_batch_is_refused(era: Era) -> None:
    """[MCP base] JSON-RPC batches went away with 2025-06-18."""
    one = json.loads(body_of(era, "skills/list"))
    async with host_of(SHELF) as host:
        for batch in ([], [one], [one, one]):
            reply = await host.send(json.dumps(batch).encode(), headers_of(era, "skills/list"))
            assert reply.status == 400
            assert reply.code in (-32600, -32602)
            assert "result" not in reply.message


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "notifications/made/up"])
async def test_a_notification_is_accepted_without_an_answer(method: str, era: Era) -> None:
    """[MCP Streamable HTTP]"""
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": with_meta(era, {"requestId": 1})}).encode()
    async with host_of(SHELF) as host:
        reply = await host.send(body, headers_of(era, method))
    assert (reply.status, reply.text) == (202, "")


@pytest.mark.parametrize("identifier", ["", "a", "é", 0, -1, 2**53, "\u2028"])
async def test_an_id_comes_back_as_it_was(identifier: Any, era: Era) -> None:
    """[JSON-RPC 5]"""
    async with host_of(SHELF) as host:
        reply = await host.send(body_of(era, "skills/list", id=identifier), headers_of(era, "skills/list"))
    assert reply.message["id"] == identifier
    assert type(reply.message["id"]) is type(identifier)


async def test_the_version_header_without_the_body_is_refused() -> None:
    """[MCP 2026-07-28] Every request of the modern revision says so in its `_meta`."""
    async with host_of(SHELF) as host:
        reply = await host.send(body_of("legacy", "skills/list"), headers_of("modern", "skills/list"))
    assert (reply.status, reply.code) == (400, -32602)


@pytest.mark.parametrize("lost", ["Mcp-Method", "Mcp-Name"])
async def test_a_routing_header_that_differs_from_the_body_is_refused(lost: str) -> None:
    """[MCP 2026-07-28]"""
    async with host_of(SHELF) as host:
        reply = await host.call("modern", "resources/read", {"uri": "skill://a/SKILL.md"}, **{lost: "other"})
    assert (reply.status, reply.code) == (400, -32020)


async def test_an_unknown_revision_is_told_the_known_ones() -> None:
    """[MCP 2026-07-28]"""
    body = body_of("modern", "skills/list").replace(REVISIONS["modern"].encode(), b"2099-01-01")
    headers = headers_of("modern", "skills/list") | {"MCP-Protocol-Version": "2099-01-01"}
    async with host_of(SHELF) as host:
        reply = await host.send(body, headers)
    assert (reply.status, reply.code) == (400, -32022)
    assert REVISIONS["modern"] in reply.error["data"]["supported"]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_every_handshake_revision_is_answered_without_a_handshake(revision: str) -> None:
    """[ours] Stateless: any replica may get any request."""
    headers = headers_of("legacy", "skills/list") | {"MCP-Protocol-Version": revision}
    async with host_of(SHELF) as host:
        reply = await host.send(body_of("legacy", "skills/list"), headers)
    assert set(reply.result) == {"skills"}


async def test_a_request_without_a_version_is_one_of_2025_03_26() -> None:
    """[MCP Streamable HTTP]"""
    headers = headers_of("legacy", "skills/list")
    del headers["MCP-Protocol-Version"]
    async with host_of(SHELF) as host:
        assert set((await host.send(body_of("legacy", "skills/list"), headers)).result) == {"skills"}
