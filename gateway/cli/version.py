"""`skills-gateway version`."""

from importlib.metadata import version as installed_version

from gateway.cli.terminal import result


def version() -> None:
    """Print the version."""
    result(installed_version("skills-gateway"))
