"""Which tokens are good, and why the others are not; every key comes from a provider over HTTP."""

import hashlib
import hmac
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gateway.auth.claims import check_claims
from gateway.auth.issuer import ALGORITHMS, TrustedIssuer
from gateway.auth.principal import Principal
from gateway.auth.refusals import TokenRefused
from tests.auth.identity import AUDIENCE, KINDS, NOW, Clock, IdentityProvider, claims_of, jwk_of, key_of, part, signed


async def cause(idp: IdentityProvider, clock: Clock, token: str, **changes: Any) -> str:
    """Why `token` is refused; empty when it is not."""
    async with idp.authenticator(clock, **changes).opened() as authenticator:
        try:
            await authenticator.authenticate(token)
        except TokenRefused as refused:
            return refused.cause
    return ""


async def test_a_good_token_names_its_principal(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 9068 section 2.2]"""
    claims = claims_of(idp.url, groups=["dev", "ops"])
    async with idp.authenticator(clock).opened() as authenticator:
        principal = await authenticator.authenticate(signed(claims, key_of("rsa")))
    expected = Principal(
        idp.url, "host", "alice", frozenset({"skills:read"}), frozenset({"dev", "ops"}), claims, int(NOW + 600)
    )
    assert principal == expected


@pytest.mark.parametrize("algorithm", ALGORITHMS)
async def test_every_algorithm_verifies_with_its_own_kind_of_key(
    idp: IdentityProvider, clock: Clock, algorithm: str
) -> None:
    """[RFC 7518 section 3.1, RFC 8037]"""
    key, other = key_of(KINDS[algorithm]), key_of(KINDS[algorithm], 1)
    idp.publish(jwk_of(key, "k1"))
    assert await cause(idp, clock, idp.token(algorithm=algorithm)) == ""
    assert await cause(idp, clock, idp.token(other, algorithm=algorithm)) == "signature"
    others = tuple(name for name in ALGORITHMS if name != algorithm)
    assert await cause(idp, clock, idp.token(algorithm=algorithm), algorithms=others) == "algorithm"
    assert idp.asked["/keys"] == 2


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", "HS256", "HS512", "RS1", "ES512"])
async def test_an_algorithm_that_is_not_listed_is_refused(idp: IdentityProvider, clock: Clock, algorithm: str) -> None:
    """[RFC 8725 section 3.1] Before the provider is asked for its keys."""
    head = f"{part({'alg': algorithm, 'typ': 'JWT', 'kid': 'k1'})}.{part(claims_of(idp.url))}."
    for signature in ("", part(b"x" * 256)):
        assert await cause(idp, clock, head + signature) == "algorithm"
    assert not idp.asked


@pytest.mark.parametrize("encoding", [Encoding.PEM, Encoding.DER])
@pytest.mark.parametrize("named", ["HS256", "RS256"])
async def test_the_public_key_is_no_shared_secret(
    idp: IdentityProvider, clock: Clock, encoding: Encoding, named: str
) -> None:
    """[RFC 8725 section 2.1] An HMAC keyed with what everybody can read."""
    secret = key_of("rsa").public_key().public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)
    signing_input = f"{part({'alg': named, 'typ': 'JWT', 'kid': 'k1'})}.{part(claims_of(idp.url))}"
    token = f"{signing_input}.{part(hmac.digest(secret, signing_input.encode(), hashlib.sha256))}"
    assert await cause(idp, clock, token) == ("algorithm" if named == "HS256" else "signature")


async def test_a_key_set_with_a_shared_secret_in_it_does_not_make_it_one(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 8725 section 3.1]"""
    idp.publish({"kty": "oct", "k": part(b"s" * 32), "kid": "k1"}, jwk_of(key_of("rsa"), "k2"))
    signing_input = f"{part({'alg': 'HS256', 'kid': 'k1'})}.{part(claims_of(idp.url))}"
    token = f"{signing_input}.{part(hmac.digest(b's' * 32, signing_input.encode(), hashlib.sha256))}"
    assert await cause(idp, clock, token) == "algorithm"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"aud": AUDIENCE}, ""),
        ({"aud": [AUDIENCE, "other"]}, ""),
        ({"aud": AUDIENCE + "/"}, "audience"),
        ({"aud": ["other"]}, "audience"),
        ({"aud": ["a" + AUDIENCE]}, "audience"),
        ({"aud": []}, "claims"),
        ({"aud": [AUDIENCE, 1]}, "claims"),
        ({"aud": {AUDIENCE: 1}}, "claims"),
        ({"aud": None}, "claims"),
        ({"exp": None}, "claims"),
        ({"exp": True}, "claims"),
        ({"exp": "1900000000"}, "claims"),
        ({"exp": -1}, "claims"),
        ({"exp": 1e300}, "claims"),
        ({"exp": NOW - 29}, ""),
        ({"exp": NOW - 30}, "expired"),
        ({"exp": NOW - 31}, "expired"),
        ({"nbf": NOW + 30}, ""),
        ({"nbf": NOW + 31}, "not_yet_valid"),
        ({"nbf": "soon"}, "claims"),
        ({"iat": NOW + 30}, ""),
        ({"iat": NOW + 31}, "not_yet_valid"),
        ({"iat": None}, ""),
        ({"iat": []}, "claims"),
        ({"sub": None}, "claims"),
        ({"sub": ""}, "claims"),
        ({"sub": 7}, "claims"),
        ({"client_id": 7}, "claims"),
        ({"iss": None}, "claims"),
        ({"iss": 7}, "claims"),
        ({"iss": "https://elsewhere.example.com"}, "issuer"),
        ({"iss": ""}, "issuer"),
    ],
    ids=repr,
)
async def test_claims_are_as_they_must_be(
    idp: IdentityProvider, clock: Clock, changes: dict[str, Any], expected: str
) -> None:
    """[RFC 7519 section 4.1] 30 seconds of leeway; the second after them is too late."""
    assert await cause(idp, clock, idp.token(**changes)) == expected
    assert idp.asked["/keys"] == (expected == "")


async def test_one_slash_at_the_end_is_another_issuer(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 8414 section 2] In both directions."""
    assert await cause(idp, clock, idp.token(iss=idp.url + "/")) == "issuer"
    assert await cause(idp, clock, idp.token(), issuer=idp.url + "/") == "issuer"


def test_the_claims_of_one_issuer_are_not_those_of_another(idp: IdentityProvider) -> None:
    """[RFC 7519 section 4.1.1] Whoever chose the keys must have chosen those of this issuer."""
    with pytest.raises(TokenRefused) as refused:
        check_claims(claims_of(idp.url + "/"), idp.trusted(), now=NOW, leeway_s=30)
    assert refused.value.cause == "issuer"


@pytest.mark.parametrize(
    ("typ", "expected"),
    [
        (None, ""),
        ("JWT", ""),
        ("jwt", ""),
        ("AT+JWT", ""),
        ("application/at+jwt", ""),
        ("Application/JWT", ""),
        (" ", "type"),
        ("logout+jwt", "type"),
        ("text/jwt", "type"),
        ("dpop+jwt", "type"),
        (["JWT"], "type"),
    ],
)
async def test_a_token_of_another_type_is_no_access_token(
    idp: IdentityProvider, clock: Clock, typ: object, expected: str
) -> None:
    """[RFC 9068 section 4, RFC 8725 section 3.11]"""
    assert await cause(idp, clock, signed(claims_of(idp.url), key_of("rsa"), typ=typ)) == expected


GOOD_HEAD = part({"alg": "RS256", "kid": "k1"})


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("", "malformed"),
        ("garbage", "malformed"),
        ("a.b.c", "malformed"),
        ("..", "malformed"),
        ("a.b.c.d.e", "malformed"),
        (f"{GOOD_HEAD}.{part([])}.{part(b'x')}", "malformed"),
        (f"{part(b'{')}.{part({})}.{part(b'x')}", "malformed"),
        (f"{part(b'[' * 3000)}.{part({})}.{part(b'x')}", "malformed"),
        (f"{GOOD_HEAD}.{part(b'[' * 3000)}.{part(b'x')}", "malformed"),
        (f"{GOOD_HEAD}.{part(bytes([0xFF]))}.{part(b'x')}", "malformed"),
        (f"{part({'alg': 1})}.{part({})}.{part(b'x')}", "malformed"),
        (f"{part({'alg': 'RS256', 'kid': 1})}.{part({})}.{part(b'x')}", "malformed"),
        (f"{part({'alg': 'RS256', 'crit': ['exp']})}.{part({})}.{part(b'x')}", "malformed"),
        (f"{part({'alg': 'RS256', 'crit': ['b64'], 'b64': False})}..{part(b'x')}", "malformed"),
        (f"{GOOD_HEAD}.{part({})}.{part(b'x')}", "claims"),
        (f"{GOOD_HEAD}.{part({})}.é", "malformed"),
        ("x" * 8193, "too_long"),
        ("a." * 32_768, "too_long"),
        ("e" * 65_536, "too_long"),
    ],
)
async def test_what_is_no_token_is_refused(idp: IdentityProvider, clock: Clock, token: str, expected: str) -> None:
    """[RFC 7515 section 7.1]"""
    assert await cause(idp, clock, token) == expected
    assert not idp.asked


async def test_each_changed_byte_of_a_token_spoils_it(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 7515 section 5.2]"""
    token = idp.token()
    async with idp.authenticator(clock).opened() as authenticator:
        await authenticator.authenticate(token)
        for at in range(0, len(token), 7):
            changed = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
            with pytest.raises(TokenRefused):
                await authenticator.authenticate(changed)


async def test_each_issuer_is_verified_with_its_own_keys(idp: IdentityProvider, clock: Clock) -> None:
    """[RFC 8725 section 3.8] A provider that is trusted cannot speak for another one that is."""
    other = IdentityProvider()
    other.start()
    other.publish(jwk_of(key_of("rsa", 1), "k1"))
    try:
        async with idp.authenticator(clock, other.trusted(audiences=("second",))).opened() as authenticator:
            first = await authenticator.authenticate(idp.token())
            second = await authenticator.authenticate(other.token(key_of("rsa", 1), aud="second"))
            assert (first.issuer, second.issuer) == (idp.url, other.url)
            for forged, why in ((idp.token(key_of("rsa", 1)), "signature"), (other.token(aud=AUDIENCE), "audience")):
                with pytest.raises(TokenRefused) as refused:
                    await authenticator.authenticate(forged)
                assert refused.value.cause == why
    finally:
        other.stop()


async def test_a_verified_token_is_remembered_until_it_expires_or_for_five_minutes(
    idp: IdentityProvider, clock: Clock
) -> None:
    """[ours] And what was refused is not."""
    short, long = idp.token(exp=NOW + 100), idp.token(exp=NOW + 1000)
    async with idp.authenticator(clock).opened() as authenticator:
        who = await authenticator.authenticate(short)
        await authenticator.authenticate(long)
        assert authenticator.remembered(short.encode()) is who
        clock.at = NOW + 100
        assert authenticator.remembered(short.encode()) is None
        assert authenticator.remembered(long.encode()) is not None
        clock.at = NOW + 300
        assert authenticator.remembered(long.encode()) is None
        with pytest.raises(TokenRefused):
            await authenticator.authenticate(short)
        assert authenticator.remembered(short.encode()) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "http://idp.example.com"},
        {"issuer": "https://idp.example.com/?x"},
        {"issuer": "https://user:secret@idp.example.com"},
        {"issuer": "idp.example.com"},
        {"issuer": "https://idp.example.com:x"},
        {"keys_url": "http://idp.example.com/keys"},
        {"keys_url": "file:///etc/keys"},
        {"keys_url": "http://127.0.0.1.example.com/keys"},
        {"audiences": ()},
        {"audiences": ("",)},
        {"algorithms": ()},
        {"algorithms": ("RS256", "HS256")},
        {"algorithms": ("none",)},
    ],
    ids=repr,
)
def test_an_issuer_that_nobody_should_trust_is_refused(changes: dict[str, Any]) -> None:
    """[ours] Keys come over TLS, or from this machine."""
    with pytest.raises(ValueError, match=r"[a-z]{4}"):
        TrustedIssuer(**{"issuer": "https://idp.example.com", "audiences": ("a",), **changes})
