"""`subscriptions/listen` behind tokens and rules: what a caller may listen for, and for how long."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from gateway.auth.apikeys import make_api_key
from gateway.policy.table import parse_rule
from gateway.releases.repository import Repository
from tests.auth.identity import AUDIENCE, KEYS, IdentityProvider, claims_of, key_of, signed
from tests.protocol.host import headers_of, with_meta
from tests.releases.stored import Skill, publish
from tests.serving import serving
from tests.stores import MemoryBucket

CI, CI_KEPT = make_api_key("ci", b"1" * 32)
DEV, DEV_KEPT = make_api_key("dev", b"2" * 32)
RULES = ({"paths": ["open"]}, {"paths": ["plans"], "keys": ["ci"]})
METHOD = "subscriptions/listen"
WITHIN_S = 10.0


@asynccontextmanager
async def listening(url: str, token: str, *uris: str) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
    """The messages of one stream, the acknowledgement first."""
    wanted = {"notifications": {"resourcesListChanged": True, "resourceSubscriptions": list(uris)}}
    body = {"jsonrpc": "2.0", "id": 1, "method": METHOD, "params": with_meta("modern", wanted)}
    headers = headers_of("modern", METHOD) | {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession() as session, session.post(url, json=body, headers=headers) as answer:
        assert answer.status == 200
        yield _messages(answer)


async def _messages(answer: aiohttp.ClientResponse) -> AsyncIterator[Mapping[str, Any]]:
    async for line in answer.content:
        if line.startswith(b"data: {"):
            yield json.loads(line.removeprefix(b"data: "))


async def following(messages: AsyncIterator[Mapping[str, Any]]) -> Mapping[str, Any]:
    async with asyncio.timeout(WITHIN_S):
        return await anext(messages)


def settings_of(idp: IdentityProvider) -> dict[str, Any]:
    return {
        "auth": "bearer",
        "auth_issuers": (idp.url,),
        "auth_keys_url": idp.url + KEYS,
        "auth_audiences": (AUDIENCE,),
        "api_keys": (CI_KEPT.line, DEV_KEPT.line),
        "rules": tuple(map(parse_rule, RULES)),
        "channel_poll_s": 0.2,
    }


async def test_an_update_of_a_hidden_skill_is_told_to_nobody_who_may_not_see_it(idp: IdentityProvider) -> None:
    """[ours] The acknowledgement has hidden and absent files left out alike."""
    bucket = MemoryBucket()
    repository = Repository(bucket.store, "")
    await publish(repository, [Skill("open", "One.", {"a.md": b"1"}), Skill("plans", "One.", {"a.md": b"1"})])
    uris = ("skill://open/a.md", "skill://plans/a.md", "skill://nobody/a.md")
    with serving(bucket, **settings_of(idp)) as url:
        async with listening(url, CI, *uris) as shown, listening(url, DEV, *uris) as hidden:
            acknowledged = [(await following(stream))["params"]["notifications"] for stream in (shown, hidden)]
            assert [one["resourceSubscriptions"] for one in acknowledged] == [list(uris[:2]), list(uris[:1])]
            await publish(repository, [Skill("open", "Two.", {"a.md": b"2"}), Skill("plans", "Two.", {"a.md": b"2"})])
            for stream, seen in ((shown, uris[:2]), (hidden, uris[:1])):
                assert (await following(stream))["method"] == "notifications/resources/list_changed"
                told = [(await following(stream))["params"]["uri"] for _ in seen]
                assert sorted(told) == sorted(seen)


async def test_a_stream_ends_with_the_token_it_was_opened_with(idp: IdentityProvider) -> None:
    """[ours] With a result, as at a stop of the server: the client may listen again with a new token."""
    bucket = MemoryBucket()
    await publish(Repository(bucket.store, ""), [Skill("open", "One.")])
    expires_at = int(time.time()) + 2
    token = signed(claims_of(idp.url, iat=expires_at - 60, exp=expires_at), key_of("rsa"))
    with serving(bucket, **settings_of(idp)) as url:
        async with listening(url, token) as stream:
            await following(stream)
            assert "result" in await following(stream)
            assert time.time() >= expires_at
