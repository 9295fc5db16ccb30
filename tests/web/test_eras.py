"""A request of the modern revision says so in its header, or is refused; blanks around values count for nothing."""

import json
from typing import Any

import pytest

from tests.protocol.host import META, REVISIONS, Era, Reply, headers_of, with_meta
from tests.protocol.providers import Shelf, host_of, static_entry

SHELF = Shelf((static_entry("a"),))
MODERN = REVISIONS["modern"]


def body(**changes: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": with_meta("modern", {}), **changes}


def headers(revision: str | None) -> dict[str, str]:
    rest = {name: value for name, value in headers_of("modern", "skills/list").items() if "Version" not in name}
    return rest if revision is None else rest | {"MCP-Protocol-Version": revision}


async def sent(message: Any, revision: str | None) -> Reply:
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    async with host_of(SHELF) as host:
        return await host.send(data, headers(revision))


@pytest.mark.parametrize("revision", [None, "", "2025-11-25", "2025-03-26", "2025-06-18", "2024-11-05", "2099-01-01"])
async def test_a_modern_request_must_say_so_in_its_header(revision: str | None) -> None:
    """[MCP 2026-07-28] Otherwise the SDK answers by rules of 2025 that the sender did not ask for."""
    reply = await sent(body(), revision)
    message = f"The MCP-Protocol-Version header is {revision!r}, the request's _meta says '2026-07-28'"
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/json"
    assert reply.message == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32020, "message": message}}


async def test_a_body_of_another_revision_than_its_header_is_refused() -> None:
    """[MCP 2026-07-28]"""
    other = json.loads(json.dumps(body()).replace(MODERN, "2099-01-01"))
    assert (await sent(other, MODERN)).code == -32020


@pytest.mark.parametrize("identifier", [0, -1, "", "a", "é", "\ud800"], ids=ascii)
async def test_the_refusal_has_the_id_of_the_request(identifier: Any) -> None:
    """[JSON-RPC 5]"""
    assert (await sent(body(id=identifier), None)).message["id"] == identifier


@pytest.mark.parametrize("identifier", [None, True, 1.5, [1], {"a": 1}])
async def test_an_id_that_is_none_comes_back_as_null(identifier: Any) -> None:
    """[JSON-RPC 5]"""
    reply = await sent(body(id=identifier), None)
    assert (reply.status, reply.message["id"]) == (400, None)


async def test_an_escaped_slash_in_the_name_of_the_field_does_not_hide_it() -> None:
    """[RFC 8259 section 7] Some encoders escape every slash."""
    escaped = json.dumps(body()).replace("/", "\\/").encode()
    assert (await sent(escaped, None)).code == -32020
    assert "skills" in (await sent(escaped, MODERN)).result


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        "x",
        {"_meta": None},
        {"_meta": [META + "protocolVersion"]},
        {"_meta": {META + "protocolVersion": None}},
        {"_meta": {META + "protocolVersion": 7}},
        {META + "protocolVersion": MODERN},
        {"x": {"_meta": {META + "protocolVersion": MODERN}}},
        {"_meta": {"protocolVersion": MODERN}},
    ],
)
async def test_only_the_field_itself_counts(params: Any) -> None:
    """[ours] Whatever else a body holds is for the SDK to judge."""
    reply = await sent(body(params=params), "2025-11-25")
    assert reply.status == (200 if reply.message["id"] == 1 else 400)
    assert "result" in reply.message or reply.code == -32602


@pytest.mark.parametrize("value", [" {} ", "\t{}\t", "{}   ", " \t {}"])
async def test_blanks_around_a_header_value_do_not_count(value: str, era: Era) -> None:
    """[RFC 9110 section 5.5]"""
    spaced = {name: value.format(text) for name, text in headers_of(era, "skills/get").items()}
    message = body(method="skills/get", params=with_meta(era, {"uri": "skill://a/SKILL.md"}))
    async with host_of(SHELF) as host:
        reply = await host.send(json.dumps(message).encode(), spaced)
    assert reply.result["skill"]["uri"] == "skill://a/SKILL.md"


async def test_two_version_headers_are_refused() -> None:
    """[MCP 2026-07-28] Whichever comes first."""
    async with host_of(SHELF) as host:
        for pair in ((MODERN, "2025-11-25"), ("2025-11-25", MODERN)):
            several = [*headers(None).items(), *(("MCP-Protocol-Version", one) for one in pair)]
            answer = await host.client.post("/mcp", content=json.dumps(body()), headers=several)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)


async def test_a_handshake_request_is_answered_whatever_its_text_holds() -> None:
    """[ours] `protocolVersion` is a word like any other in a body of 2025."""
    params = {"uri": f"skill://a/{META}protocolVersion"}
    async with host_of(SHELF) as host:
        assert (await host.call("legacy", "skills/get", params)).code == -32602
