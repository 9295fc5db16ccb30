"""`skills-gateway apikey`."""

import secrets
from typing import Annotated

import typer

from gateway.auth.apikeys import DEFAULT_SCOPES, SECRET_BYTES, make_api_key
from gateway.cli.terminal import UsageRefused, result, talk

apikey = typer.Typer(name="apikey", no_args_is_help=True, help="Make API keys, for CI and development.")


@apikey.callback()
def keys() -> None:
    """Make API keys, for CI and development."""


@apikey.command()
def new(
    name: Annotated[str, typer.Argument(help="Who will use the key: a-z, 0-9 and '-'.")],
    scope: Annotated[list[str] | None, typer.Option(help="A scope of the key; may be given again.")] = None,
) -> None:
    """Print a new key, once, and to stderr the line to add to GATEWAY_API_KEYS.

    The gateway keeps no more than the SHA-256 in that line, so a key that is lost is replaced: add the line of a new
    one, give it out, then take the old line away.
    """
    try:
        key, kept = make_api_key(name, secrets.token_bytes(SECRET_BYTES), tuple(scope or DEFAULT_SCOPES))
    except ValueError as fault:
        raise UsageRefused(str(fault)) from None
    result(key)
    talk.print(f"add to GATEWAY_API_KEYS: {kept.line}", markup=False)
