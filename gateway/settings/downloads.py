"""Settings of downloads."""

from pydantic import Field
from pydantic_settings import BaseSettings


class Downloads(BaseSettings):
    """What is served beside MCP."""

    downloads: bool = Field(
        default=False,
        description="Whether skills can be downloaded over plain HTTP: GET /skills/PATH.zip, and the index at "
        "/.well-known/agent-skills/index.json.",
    )
