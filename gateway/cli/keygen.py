"""`skills-gateway keygen`."""

import base64
import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.terminal import CommandFailed, result, talk

_KEY_BYTES = 32


def keygen(
    signing: Annotated[
        Path | None,
        typer.Option("--signing", metavar="FILE", help="Make a key that signs releases, private half to FILE."),
    ] = None,
) -> None:
    """Print a new random key for GATEWAY_CURSOR_KEYS, or with --signing the public half for GATEWAY_TRUSTED_KEYS.

    Nothing else goes to stdout. To change cursor keys without losing cursors, put the new one behind
    the old one on every replica, then in front of it, and take the old one away GATEWAY_CURSOR_TTL_S seconds later.
    """
    if signing is not None:
        result(_signing_key(signing))
    else:
        result(base64.urlsafe_b64encode(secrets.token_bytes(_KEY_BYTES)).decode())


def _signing_key(file: Path) -> str:
    from gateway.releases.signatures import new_signing_key

    private, public = new_signing_key()
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as opened:
            opened.write(private)
    except FileExistsError:
        raise CommandFailed(f"{file} is there already, and may hold a key in use; name another file") from None
    except OSError as error:
        raise CommandFailed(f"{file} cannot be written ({error.strerror})") from None
    talk.print(f"the private key is in {file}: keep it secret, and sign with publish --sign {file}", markup=False)
    return public
