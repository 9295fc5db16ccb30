"""Signatures: made by one key, taken for nothing else, and refused with the reason."""

import pytest

from gateway.errors import SettingsError, SignatureRefused
from gateway.releases.signatures import check_signature, load_signing_key, new_signing_key, sign, trusted_keys

INDEX = b'{"format":1}'
PEM, PUBLIC = new_signing_key()
OTHER_PEM, OTHER_PUBLIC = new_signing_key()
KEY = load_signing_key(PEM.encode())


def test_a_release_signed_by_a_trusted_key_passes_and_names_the_key() -> None:
    """[RFC 8032]"""
    trusted = trusted_keys([OTHER_PUBLIC, PUBLIC])
    assert check_signature(sign(INDEX, KEY), INDEX, trusted, "r") == next(iter(trusted_keys([PUBLIC])))


@pytest.mark.parametrize(
    ("document", "index", "trusted", "named"),
    [
        (None, INDEX, [PUBLIC], "is not signed"),
        (sign(INDEX, KEY), INDEX + b" ", [PUBLIC], "is wrong"),
        (sign(INDEX, KEY), INDEX, [OTHER_PUBLIC], "none of them in GATEWAY_TRUSTED_KEYS"),
        (b"{", INDEX, [PUBLIC], "cannot be read"),
        (b'{"signatures":[{"key":"a","signature":"*"}]}', INDEX, [PUBLIC], "cannot be read"),
        (b'{"signatures":[]}', INDEX, [PUBLIC], "signed by nobody"),
    ],
)
def test_anything_else_is_refused_with_the_reason(
    document: bytes | None, index: bytes, trusted: list[str], named: str
) -> None:
    """[ours: an unsigned or wrongly signed release is never served]"""
    with pytest.raises(SignatureRefused, match=named):
        check_signature(document, index, trusted_keys(trusted), "r")


def test_a_signature_of_the_bare_bytes_is_none_of_a_release() -> None:
    """[ours: what is signed says what it is]"""
    bare = sign(b"", KEY)
    with pytest.raises(SignatureRefused, match="is wrong"):
        check_signature(bare, INDEX, trusted_keys([PUBLIC]), "r")


@pytest.mark.parametrize("text", ["", "ed25519:", "ed25519:AAAA", "rsa:AAAA", PUBLIC[:-4], "ed25519:é"], ids=range(6))
def test_what_is_no_public_key_is_named(text: str) -> None:
    """[ours: a bad setting stops the start]"""
    with pytest.raises(SettingsError, match="no public key"):
        trusted_keys([text])


@pytest.mark.parametrize("pem", [b"", b"x", PUBLIC.encode()], ids=range(3))
def test_what_is_no_private_key_is_refused(pem: bytes) -> None:
    """[ours]"""
    with pytest.raises(SettingsError, match="keygen --signing"):
        load_signing_key(pem)
