"""`skills-gateway`: the commands, and the one place that turns an error into a line and an exit code.

Exit codes: 0 done, 1 refused or failed, 2 usage or configuration. A traceback only with `-v`.
"""

from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from gateway.cli.apikey import apikey
from gateway.cli.check import check
from gateway.cli.demo import demo
from gateway.cli.diff import diff
from gateway.cli.doctor import doctor
from gateway.cli.keygen import keygen
from gateway.cli.promote import promote
from gateway.cli.prune import prune
from gateway.cli.publish import publish
from gateway.cli.pull import pull
from gateway.cli.releases import releases
from gateway.cli.rollback import rollback
from gateway.cli.serve import serve
from gateway.cli.terminal import exit_code, talk
from gateway.cli.verify import verify
from gateway.cli.version import version
from gateway.errors import GatewayError


class Commands(TyperGroup):
    """The group of all commands. Top-level handler: a broad except here, and nowhere below."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, typer.TyperException):
            raise
        except Exception as error:
            if ctx.params.get("verbose"):
                raise
            talk.print(f"[bold red]error:[/] {escape(_one_line(error))}")
            raise typer.Exit(exit_code(error)) from None


def _one_line(error: Exception) -> str:
    if isinstance(error, GatewayError):
        return str(error)
    return f"{type(error).__name__}: {error} (this should not happen; -v before the command shows where)"


app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def skills_gateway(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the traceback of an error.")] = False,
) -> None:
    """Serve the Agent Skills of an S3 prefix to agent hosts over MCP."""


app.command()(serve)
app.command()(demo)
app.command()(check)
app.command()(doctor)
app.command()(publish)
app.command()(releases)
app.command()(rollback)
app.command()(promote)
app.command()(diff)
app.command()(verify)
app.command()(pull)
app.command()(prune)
app.command()(keygen)
app.add_typer(apikey)
app.command()(version)


def main() -> None:
    """Entry point of the console script."""
    app()
