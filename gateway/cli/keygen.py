"""`skills-gateway keygen`."""

import base64
import secrets

from gateway.cli.terminal import result

_KEY_BYTES = 32


def keygen() -> None:
    """Print a new random key for GATEWAY_CURSOR_KEYS.

    Nothing else goes to stdout. To change keys without losing cursors, put the new one first and keep
    the old one behind it for GATEWAY_CURSOR_TTL_S seconds.
    """
    result(base64.urlsafe_b64encode(secrets.token_bytes(_KEY_BYTES)).decode())
