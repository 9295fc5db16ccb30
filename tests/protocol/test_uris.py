"""What each spelling of a URI gets, in both eras.

The spellings are those of a table that was once sent through the SDK to see what arrives at a handler:
exactly what the client sent. So every rule about them is ours.
"""

import pytest

from gateway.local.memory import MemoryStore
from tests.protocol.host import Era, Host
from tests.protocol.providers import host_of, tree_of
from tests.protocol.uris import NOTHING, OBJECTS, REFUSED, SERVED


async def refusal(host: Host, era: Era, method: str, uri: str) -> str:
    """The message of a `-32602` that tells the URI back."""
    reply = await host.call(era, method, {"uri": uri})
    assert reply.status == (400 if era == "modern" else 200)
    assert (reply.code, reply.error["data"]) == (-32602, {"uri": uri})
    return reply.error["message"]


async def test_a_served_spelling_is_read_and_answered_as_it_was_sent(era: Era) -> None:
    """[SDK 1.6] TypeScript clients look for their own spelling in `contents`."""
    async with host_of(tree_of(OBJECTS)) as host:
        for uri, text in SERVED.items():
            (content,) = (await host.call(era, "resources/read", {"uri": uri})).result["contents"]
            assert (content["uri"], content["text"]) == (uri, text)


async def test_a_uri_of_nothing_is_invalid_params(era: Era) -> None:
    """[SEP-2640 errors]"""
    async with host_of(tree_of(OBJECTS)) as host:
        for uri in NOTHING:
            assert await refusal(host, era, "resources/read", uri) == f"No file with this URI is served here: {uri}"
            assert await refusal(host, era, "skills/get", uri) == f"No skill with this URI is served here: {uri}"


@pytest.mark.parametrize("method", ["resources/read", "skills/get", "resources/directory/read"])
async def test_a_spelling_that_is_no_uri_of_ours_is_invalid_params(method: str, era: Era) -> None:
    """[ours]"""
    async with host_of(tree_of(OBJECTS)) as host:
        for uri in REFUSED:
            message = await refusal(host, era, method, uri)
            assert message.startswith(("The URI has ", repr(uri)[:50]))
            assert len(message) < 400


async def test_a_refused_spelling_asks_the_store_nothing(era: Era) -> None:
    """[ours] A key with `..` would go out verbatim."""
    store = MemoryStore(OBJECTS)
    async with host_of(tree_of(store)) as host:
        for uri in REFUSED:
            await refusal(host, era, "resources/read", uri)
    assert store.calls.total() == 0


async def test_only_the_canonical_spelling_is_published(era: Era) -> None:
    """[ours]"""
    async with host_of(tree_of(OBJECTS)) as host:
        skills = (await host.call(era, "skills/list")).result["skills"]
        listed = (await host.call(era, "resources/list")).result["resources"]
    published = {skill["uri"] for skill in skills}
    assert published == {resource["uri"] for resource in listed}
    assert "skill://t%C3%A9am/x/SKILL.md" in published
    assert "skill://team%3A443/x/SKILL.md" in published
    (team,) = (skill for skill in skills if skill["uri"] == "skill://team/x/SKILL.md")
    assert {file["uri"] for file in team["resources"]} >= {
        "skill://team/x/a%20b.md",
        "skill://team/x/a%252Fb.md",
        "skill://team/x/caf%C3%A9",
    }


@pytest.mark.parametrize(
    "uri", ["\ud800", "skill://\udfff/x/SKILL.md", "skill://team/x/\ud83e", "skill://team/x/%F0\udc80"]
)
@pytest.mark.parametrize("method", ["resources/read", "skills/get", "resources/directory/read"])
async def test_a_lone_surrogate_is_the_clients_fault(method: str, uri: str, era: Era) -> None:
    """[SDK 1.6] The SDK refuses it itself: in 2025-11-25 as a parse error, in a header as a mismatch."""
    async with host_of(tree_of(OBJECTS)) as host:
        reply = await host.call(era, method, {"uri": uri})
    expected = -32700 if era == "legacy" else -32020 if method == "resources/read" else -32602
    assert (reply.status, reply.code) == (400, expected)
