"""The keys of a provider: asked for seldom, kept while it is down, and only those that are good."""

import asyncio
import gc
import gzip
import json
import time
from collections.abc import Iterator
from itertools import pairwise
from threading import Event
from typing import Any

import pytest

from gateway.auth.authenticator import Authenticator
from gateway.auth.discovery import endpoint_of, metadata_of
from gateway.auth.refusals import IdentityUnavailable, TokenRefused
from tests.auth.identity import KEYS, NOW, OAUTH, OPENID, Clock, IdentityProvider, jwk_of, key_of


@pytest.fixture
def no_collection() -> Iterator[None]:
    """No pause for the garbage of a whole test run."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


async def outcome(authenticator: Authenticator, token: str) -> str:
    """`ok`, or the cause or the reason of the refusal."""
    try:
        await authenticator.authenticate(token)
    except TokenRefused as refused:
        return refused.cause
    except IdentityUnavailable as fault:
        return fault.reason
    return "ok"


async def test_fifty_first_requests_ask_once(idp: IdentityProvider, clock: Clock) -> None:
    """[ours]"""
    tokens = [idp.token(sub=f"user-{number}") for number in range(50)]
    async with idp.authenticator(clock).opened() as authenticator:
        outcomes = await asyncio.gather(*(outcome(authenticator, token) for token in tokens))
    assert (set(outcomes), idp.asked[KEYS]) == ({"ok"}, 1)


async def test_a_storm_of_unknown_key_ids_asks_once_in_a_cooldown(idp: IdentityProvider, clock: Clock) -> None:
    """[ours] And meanwhile known keys are good."""
    async with idp.authenticator(clock).opened() as authenticator:
        assert await outcome(authenticator, idp.token()) == "ok"
        for seconds, questions in ((29, 1), (30, 2), (59, 2), (60, 3)):
            clock.at = NOW + seconds
            storm = [idp.token(kid=f"{seconds}-{number}") for number in range(20)]
            assert {await outcome(authenticator, token) for token in storm[:3]} == {"unknown_key"}
            assert set(await asyncio.gather(*(outcome(authenticator, one) for one in storm))) == {"unknown_key"}
            assert await outcome(authenticator, idp.token(jti=f"{seconds}")) == "ok"
            assert idp.asked[KEYS] == questions


async def test_a_rotated_key_is_found_and_the_old_one_is_gone_with_it(idp: IdentityProvider, clock: Clock) -> None:
    """[OpenID Connect Core section 10.1.1]"""
    async with idp.authenticator(clock).opened() as authenticator:
        assert await outcome(authenticator, idp.token()) == "ok"
        idp.publish(jwk_of(key_of("rsa", 1), "k2"))
        clock.at += 30
        assert await outcome(authenticator, idp.token(key_of("rsa", 1), "k2")) == "ok"
        assert await outcome(authenticator, idp.token(jti="another")) == "unknown_key"
    assert idp.asked[KEYS] == 2


async def test_a_key_that_was_withdrawn_is_no_longer_good_after_the_ttl(idp: IdentityProvider, clock: Clock) -> None:
    """[ours]"""
    async with idp.authenticator(clock).opened() as authenticator:
        await outcome(authenticator, idp.token())
        idp.publish(jwk_of(key_of("rsa", 1), "k2"))
        clock.at = NOW + 299
        assert await outcome(authenticator, idp.token(jti="1")) == "ok"
        clock.at = NOW + 300
        assert await outcome(authenticator, idp.token(jti="2")) == "unknown_key"


async def test_a_provider_that_is_down_at_the_start_is_asked_again_soon(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 9110 section 15.6.4] That is no fault of the token."""
    idp.stop()
    async with idp.authenticator(clock).opened() as authenticator:
        with pytest.raises(IdentityUnavailable) as fault:
            await authenticator.authenticate(idp.token())
        assert fault.value.retry_after_s == 5
        clock.at += 3
        with pytest.raises(IdentityUnavailable) as fault:
            await authenticator.authenticate(idp.token())
        assert fault.value.retry_after_s == 2
        idp.start()
        assert await outcome(authenticator, idp.token()) == "identity_unavailable"
        clock.at += 2
        assert await outcome(authenticator, idp.token()) == "ok"


async def test_known_keys_stay_good_for_a_day_while_the_provider_is_down(
    idp: IdentityProvider, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """[ours] Told once, and once when it is back."""
    async with idp.authenticator(clock).opened() as authenticator:
        await outcome(authenticator, idp.token())
        idp.stop()
        for seconds in (300, 310, 86_399):
            clock.at = NOW + seconds
            assert await outcome(authenticator, idp.token(exp=NOW + 90_000, jti=f"{seconds}")) == "ok"
        assert await outcome(authenticator, idp.token(kid="new", exp=NOW + 90_000)) == "identity_unavailable"
        clock.at = NOW + 86_400
        assert await outcome(authenticator, idp.token(exp=NOW + 90_000, jti="late")) == "identity_unavailable"
        idp.start()
        clock.at += 5
        assert await outcome(authenticator, idp.token(exp=NOW + 90_000, jti="back")) == "ok"
    told = [record.getMessage() for record in caplog.records if record.name == "gateway.auth.keys"]
    assert [idp.url in line for line in told] == [True, True]
    assert "stay good" in told[0]
    assert "there again" in told[1]


async def test_a_provider_that_is_silent_has_a_deadline(idp: IdentityProvider, clock: Clock) -> None:
    """[ours]"""
    async with idp.authenticator(clock, timeout_s=0.2).opened() as authenticator:
        await outcome(authenticator, idp.token())
        idp.is_silent = True
        clock.at = NOW + 300
        assert await outcome(authenticator, idp.token(jti="known")) == "ok"
        assert await outcome(authenticator, idp.token(kid="unknown")) == "identity_unavailable"


async def test_nobody_waits_for_a_provider_that_was_found_down_when_the_key_is_known(
    idp: IdentityProvider, clock: Clock
) -> None:
    """[ours] It is asked again meanwhile, once, however long that takes."""
    async with idp.authenticator(clock, timeout_s=20).opened() as authenticator:
        await outcome(authenticator, idp.token())
        idp.stop()
        clock.at = NOW + 300
        assert await outcome(authenticator, idp.token(jti="first")) == "ok"
        idp.gate = Event()
        idp.start()
        async with asyncio.timeout(5):
            for seconds in (305, 310, 315):
                clock.at = NOW + seconds
                assert await outcome(authenticator, idp.token(jti=f"{seconds}")) == "ok"
        waiting = asyncio.create_task(outcome(authenticator, idp.token(kid="unknown")))
        await asyncio.sleep(0)
        idp.gate.set()
        assert await waiting == "unknown_key"
    assert idp.asked[KEYS] == 2


async def test_who_stops_waiting_leaves_the_question_to_the_others(idp: IdentityProvider, clock: Clock) -> None:
    """[ours]"""
    async with idp.authenticator(clock).opened() as authenticator:
        first = asyncio.create_task(authenticator.authenticate(idp.token()))
        second = asyncio.create_task(authenticator.authenticate(idp.token()))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).subject == "alice"
    assert idp.asked[KEYS] == 1


async def test_the_loop_is_never_blocked(idp: IdentityProvider, clock: Clock, no_collection: None) -> None:
    """[ours] The provider answers only once another task went on meanwhile; and a hundred keys take no 50 ms of CPU."""
    idp.publish(*(jwk_of(key_of("rsa"), f"k{number}") for number in range(100)))
    idp.gate = Event()
    tokens = [idp.token(sub=f"user-{number}", kid=f"k{number}") for number in range(30)]
    ticks = [time.thread_time()]

    async def tick() -> None:
        while True:
            await asyncio.sleep(0)
            ticks.append(time.thread_time())
            if idp.asked[KEYS] and len(ticks) > 20:
                idp.gate.set()

    async with idp.authenticator(clock).opened() as authenticator:
        ticking = asyncio.create_task(tick())
        outcomes: set[str] = set()
        for token in tokens:
            outcomes.add(await outcome(authenticator, token))
            await asyncio.sleep(0)
        ticking.cancel()
    longest_s = max(after - before for before, after in pairwise(ticks))
    assert (outcomes, longest_s < 0.05) == ({"ok"}, True), longest_s


RSA = jwk_of(key_of("rsa"), "k1")


UNUSABLE: dict[str, Any] = {
    "500": (500, {}, b"{}"),
    "a redirect": (302, {"Location": "/elsewhere"}, b""),
    "compressed": (200, {"Content-Encoding": "gzip"}, gzip.compress(json.dumps({"keys": [RSA]}).encode())),
    "no JSON": b"<html>",
    "empty": b"",
    "an array": b"[]",
    "deep": b"[" * 100_000,
    "no keys": {},
    "keys no list": {"keys": {}},
    "no key": {"keys": []},
    "odd keys": {"keys": [1, None, {}, {"kty": "RSA"}, {"kty": "RSA", "n": 1, "e": "AQAB"}]},
    "101 keys": {"keys": [RSA] * 101},
    "too large": {"keys": [RSA], "padding": "x" * 262_144},
    "a short RSA key": {"keys": [jwk_of(key_of("rsa", bits=1024), "k1")]},
    "for encryption": {"keys": [{**RSA, "use": "enc"}]},
    "another algorithm": {"keys": [{**RSA, "alg": "RSA-OAEP"}]},
    "other operations": {"keys": [{**RSA, "key_ops": ["encrypt"]}]},
    "operations no list": {"keys": [{**RSA, "key_ops": "verify"}]},
    "no point of the curve": {"keys": [{"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA", "kid": "k1"}]},
}


@pytest.mark.parametrize("document", UNUSABLE.values(), ids=UNUSABLE)
async def test_a_key_set_that_is_of_no_use_is_as_none(idp: IdentityProvider, clock: Clock, document: Any) -> None:
    """[RFC 7517 section 5] And no redirect is followed."""
    idp.documents |= {KEYS: document, "/elsewhere": {"keys": [RSA]}}
    async with idp.authenticator(clock).opened() as authenticator:
        assert await outcome(authenticator, idp.token()) == "identity_unavailable"
    assert idp.asked == {KEYS: 1}


async def test_bad_keys_do_not_spoil_the_good_ones_beside_them(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 7517 section 5] Nor does a private half that is published by mistake."""
    idp.publish({"kty": "new"}, jwk_of(key_of("rsa", bits=1024), "weak"), {**RSA, "d": "AQAB", "kid": "k1"})
    async with idp.authenticator(clock).opened() as authenticator:
        assert await outcome(authenticator, idp.token()) == "ok"
        assert await outcome(authenticator, idp.token(kid="weak")) == "unknown_key"


async def test_a_token_without_a_key_id_is_good_only_when_one_key_can_be_meant(
    idp: IdentityProvider, clock: Clock
) -> None:
    """[RFC 7515 section 4.1.4]"""
    async with idp.authenticator(clock).opened() as authenticator:
        assert await outcome(authenticator, idp.token(kid=None)) == "ok"
    idp.publish(RSA, jwk_of(key_of("ec"), "k2"))
    async with idp.authenticator(clock).opened() as authenticator:
        assert await outcome(authenticator, idp.token(kid=None)) == "unknown_key"


async def test_a_key_verifies_nothing_but_its_own_algorithm(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 8725 section 3.1]"""
    idp.publish(jwk_of(key_of("rsa"), "k1", alg="PS256"), jwk_of(key_of("ec"), "k2"))
    async with idp.authenticator(clock).opened() as authenticator:
        assert await outcome(authenticator, idp.token(algorithm="RS256")) == "unknown_key"
        assert await outcome(authenticator, idp.token(algorithm="PS256")) == "ok"
        assert await outcome(authenticator, idp.token(key_of("rsa"), "k2", "RS256")) == "unknown_key"


@pytest.mark.parametrize("path", [OPENID, OAUTH])
async def test_the_keys_are_found_by_the_metadata_of_the_provider(
    idp: IdentityProvider, clock: Clock, path: str
) -> None:
    """[OpenID Connect Discovery section 4, RFC 8414 section 3]"""
    idp.documents[path] = {"issuer": idp.url, "jwks_uri": idp.url + KEYS}
    async with idp.authenticator(clock, keys_url=None).opened() as authenticator:
        assert await outcome(authenticator, idp.token()) == "ok"
    assert idp.asked == {OPENID: 1, KEYS: 1} | ({OAUTH: 1} if path == OAUTH else {})


async def test_the_metadata_of_an_issuer_with_a_path_is_on_both_sides_of_it(
    idp: IdentityProvider, clock: Clock
) -> None:
    """[RFC 8414 section 3.1, OpenID Connect Discovery section 4.1]"""
    issuer = f"{idp.url}/tenant/"
    async with idp.authenticator(clock, issuer=issuer, keys_url=None).opened() as authenticator:
        assert await outcome(authenticator, idp.token(iss=issuer)) == "identity_unavailable"
    assert set(idp.asked) == {"/tenant" + OPENID, OAUTH + "/tenant"}


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"issuer": "https://idp.example.com/", "jwks_uri": "https://idp.example.com/keys"}, "names the issuer"),
        ({"issuer": "https://IDP.example.com", "jwks_uri": "https://idp.example.com/keys"}, "names the issuer"),
        ({"jwks_uri": "https://idp.example.com/keys"}, "names the issuer None"),
        ([], "names the issuer None"),
        ({"issuer": "https://idp.example.com"}, "has no jwks_uri"),
        ({"issuer": "https://idp.example.com", "jwks_uri": 7}, "has no jwks_uri"),
        ({"issuer": "https://idp.example.com", "jwks_uri": "http://idp.example.com/keys"}, "must begin with https"),
        ({"issuer": "https://idp.example.com", "jwks_uri": "file:///keys"}, "is no URL"),
    ],
    ids=repr,
)
def test_metadata_of_another_issuer_or_with_an_unsafe_url_is_refused(document: Any, why: str) -> None:
    """[RFC 8414 section 3.3] The issuer must be equal, its slash included."""
    with pytest.raises(IdentityUnavailable, match=why):
        endpoint_of(metadata_of(document, "https://idp.example.com"), "jwks_uri")


async def test_metadata_that_is_refused_leads_to_no_keys(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 8414 section 3.3] Nor is there a second try at the other place."""
    idp.documents[OPENID] = {"issuer": idp.url + "/", "jwks_uri": idp.url + KEYS}
    async with idp.authenticator(clock, keys_url=None).opened() as authenticator:
        assert await outcome(authenticator, idp.token()) == "identity_unavailable"
    assert idp.asked == {OPENID: 1}
