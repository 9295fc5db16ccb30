"""What goes where: results to stdout, talk to stderr; and the error that a command ends with.

Styles and progress bars show on a terminal only; a pipe gets plain text.
"""

import sys

from rich.console import Console

from gateway.errors import GatewayError, SettingsError

EXIT_FAILED = 1
EXIT_USAGE = 2

talk = Console(stderr=True, highlight=False, soft_wrap=True)


class CommandFailed(GatewayError):
    """A command could not do what it was asked to; the text says why and what to do."""

    reason = "command_failed"


class UsageRefused(SettingsError):
    """The command cannot be meant as it was written (exit code 2)."""

    reason = "usage"


def result(text: str) -> None:
    """One line of what was asked for, as it is."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def exit_code(error: Exception) -> int:
    return EXIT_USAGE if isinstance(error, SettingsError) else EXIT_FAILED
