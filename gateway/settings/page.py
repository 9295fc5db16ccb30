"""Settings of the page for people."""

from pydantic import Field
from pydantic_settings import BaseSettings


class PageSettings(BaseSettings):
    """The page asks as its reader, so that it shows nobody more than MCP would."""

    page: bool = Field(
        default=True, description="Whether people find the catalogue at /: to each what MCP would show them."
    )
