"""Settings of what hosts without the extension are given besides resources."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import BaseSettings

from gateway.settings.values import Lower

Shown = Annotated[Literal["off", "auto", "always"], Lower]


class Fallbacks(BaseSettings):
    """Each is `off`, `always` there, or with `auto` there for clients that do not declare the extension."""

    tools: Shown = Field(
        default="off",
        description="Whether hosts get the tools list_skills, load_skill and read_skill_file; auto: unless they "
        "declare the Skills extension.",
    )
    prompts: Shown = Field(
        default="off", description="Whether hosts get a prompt for each skill; auto: unless they declare the extension."
    )
