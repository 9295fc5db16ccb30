"""Keys of our own: made once, kept as a hash, compared whole."""

import secrets
from typing import Any

import pytest
from typer.testing import CliRunner

from gateway.auth.apikeys import ApiKey, ApiKeys, make_api_key, parse_api_key
from gateway.auth.authenticator import Authenticator, AuthOptions
from gateway.auth.refusals import TokenRefused
from gateway.cli.apikey import apikey

SECRET = bytes(range(32))


def why(keys: ApiKeys, text: str) -> str:
    with pytest.raises(TokenRefused) as refused:
        keys.verify(text)
    return refused.value.cause


def test_a_key_has_a_start_a_name_a_secret_and_a_checksum() -> None:
    """[ours]"""
    text, kept = make_api_key("ci-bot", SECRET)
    assert text == "skg_ci-bot_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8" + text[-6:]
    assert kept.line == f"ci-bot:{kept.sha256.hex()}"
    assert parse_api_key(f" {kept.line}\n") == kept


def test_a_key_is_good_for_its_name_and_scopes_alone() -> None:
    """[ours] Two lines of one name are good both, while one key takes the place of another."""
    (first, a), (second, b), (other, c) = (
        make_api_key(name, secrets.token_bytes(32), scopes)
        for name, scopes in (("ci", ("skills:read",)), ("ci", ("x", "y")), ("dev", ()))
    )
    keys = ApiKeys([parse_api_key(one.line) for one in (a, b, c)])
    assert [sorted(keys.verify(text).scopes) for text in (first, second, other)] == [["skills:read"], ["x", "y"], []]
    assert [keys.verify(text).subject for text in (first, second, other)] == ["ci", "ci", "dev"]
    assert keys.verify(first).expires_at is None


def test_any_other_text_is_no_key() -> None:
    """[ours]"""
    text, kept = make_api_key("ci", SECRET)
    unknown, _ = make_api_key("ci", secrets.token_bytes(32))
    keys = ApiKeys([kept])
    assert why(keys, unknown) == "api_key"
    assert why(ApiKeys([ApiKey("other", kept.sha256)]), text) == "api_key"
    for at in range(len(text)):
        changed = text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]
        assert why(keys, changed) == "malformed"
    for odd in ("", "skg_", text[:-1], text + "A", text + "\n", " " + text, kept.line, kept.sha256.hex()):
        assert why(keys, odd) == "malformed"


@pytest.mark.parametrize(
    "line",
    ["", "ci", "ci:", "ci:abc", f"ci:{'A' * 64}", f"CI:{'a' * 64}", f":{'a' * 64}", f"ci:{'a' * 64}:a,b", "ci:é"],
)
def test_a_line_that_is_none_is_refused_without_being_told(line: str) -> None:
    """[ours] It may be the key itself that somebody put there."""
    with pytest.raises(ValueError, match="apikey new NAME") as refused:
        parse_api_key(line)
    assert not line or line not in str(refused.value).replace("skills-gateway", "")


async def test_a_key_needs_no_provider(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] And tells no more of itself to the log than its name."""
    text, kept = make_api_key("ci", SECRET)
    async with Authenticator(AuthOptions(api_keys=(kept,))).opened() as authenticator:
        principal = await authenticator.authenticate(text)
        assert (principal.client, authenticator.remembered(text.encode())) == ("ci", principal)
        with pytest.raises(TokenRefused):
            await authenticator.authenticate("a.b.c")
    assert text not in caplog.text


@pytest.mark.parametrize("changes", [{}, {"issuers": ()}, {"api_keys": ()}])
def test_somebody_must_be_trusted(changes: dict[str, Any]) -> None:
    """[ours]"""
    with pytest.raises(ValueError, match="nobody is trusted"):
        AuthOptions(**changes)


def test_apikey_new_prints_the_key_alone_and_the_line_to_stderr() -> None:
    """[ours]"""
    made = CliRunner().invoke(apikey, ["new", "ci", "--scope", "skills:read", "--scope", "skills:list"])
    assert made.exit_code == 0
    line = made.stderr.removeprefix("add to GATEWAY_API_KEYS: ")
    principal = ApiKeys([parse_api_key(line)]).verify(made.stdout.removesuffix("\n"))
    assert (principal.subject, principal.scopes) == ("ci", {"skills:read", "skills:list"})
    assert made.stdout.strip() not in made.stderr


@pytest.mark.parametrize("arguments", [["CI"], ["a_b"], [""], ["ci", "--scope", "a,b"], ["ci", "--scope", "a b"]])
def test_apikey_new_refuses_what_could_not_be_read_back(arguments: list[str]) -> None:
    """[ours]"""
    made = CliRunner().invoke(apikey, ["new", *arguments])
    assert (made.exit_code, made.stdout) == (1, "")
