"""Flags that several commands share. Each overrides the setting of its name; see the README's table.

Numbers are handed on as written: the settings tell what is wrong with one in the same words wherever it stands.
"""

from pathlib import Path
from typing import Annotated

import typer

ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="File of settings; ./gateway.toml is read without it.", metavar="FILE")
]
Bucket = Annotated[str | None, typer.Option(help="Bucket that holds the skills.")]
Prefix = Annotated[str | None, typer.Option(help="Key prefix under which the skills lie.")]
EndpointUrl = Annotated[str | None, typer.Option(help="URL of an S3-compatible store; AWS without it.", metavar="URL")]
Region = Annotated[str | None, typer.Option(help="Region to sign for.")]
Mount = Annotated[str | None, typer.Option(help="Path put in front of every skill's path.", metavar="PATH")]
AllowBinary = Annotated[
    bool | None,
    typer.Option("--allow-binary/--refuse-binary", help="Whether skills with files that are no text are served."),
]
PageSize = Annotated[str | None, typer.Option(help="Entries on one page of a listing.", metavar="NUMBER")]
Host = Annotated[str | None, typer.Option(help="Address to listen on.", metavar="ADDRESS")]
Port = Annotated[str | None, typer.Option(help="Port to listen on; 0 for any free one.", metavar="NUMBER")]
PublicUrl = Annotated[str | None, typer.Option(help="URL under which clients reach this server.", metavar="URL")]
AllowedHosts = Annotated[
    str | None, typer.Option(help="Host headers that are answered, separated by commas.", metavar="NAMES")
]
Workers = Annotated[
    str | None, typer.Option(help="Worker processes; more than one needs GATEWAY_CURSOR_KEYS.", metavar="NUMBER")
]
LogFormat = Annotated[str | None, typer.Option(help="text or json.", metavar="FORMAT")]
LogLevel = Annotated[str | None, typer.Option(help="debug, info, warning or error.", metavar="LEVEL")]
