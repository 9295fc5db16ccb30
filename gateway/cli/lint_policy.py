"""How severe the rules of the linter are: what the settings say, and then the flags of a command."""

from collections.abc import Sequence

from gateway.cli.terminal import UsageRefused
from gateway.lint.finding import Policy, parse_severity
from gateway.settings import Settings


def lint_policy(
    settings: Settings, severities: Sequence[str] = (), ignored: Sequence[str] = (), *, is_strict: bool = False
) -> Policy:
    """A later severity of a rule wins. Raises UsageRefused for a flag that names none."""
    try:
        asked = dict(map(parse_severity, (*settings.lint_severities, *severities)))
    except ValueError as error:
        raise UsageRefused(f"--severity: {error}") from error
    return Policy(asked, (*settings.lint_ignore, *ignored), is_strict)
