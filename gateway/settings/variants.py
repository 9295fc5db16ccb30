"""Settings of one variant: another view of the same bucket, as a table of gateway.toml."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from gateway.settings import rules
from gateway.settings.values import Lower


class Variant(BaseModel):
    """What a variant has otherwise than the gateway itself; what is left out is as it is there."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    prefix: Annotated[str, AfterValidator(rules.prefix)] = ""
    mount: Annotated[str, AfterValidator(rules.mount)] = ""
    source: Annotated[Literal["auto", "tree", "releases"], Lower] = "auto"
    channel: Annotated[str, AfterValidator(rules.channel)] = ""
    release: Annotated[str, AfterValidator(rules.release)] = ""
    description: str = ""
    status: Literal["stable", "experimental", "deprecated"] = "stable"

    @property
    def changes(self) -> dict[str, object]:
        """The settings it has otherwise. A variant that names a channel is not held to the release of the gateway."""
        told = {name: getattr(self, name) for name in self.model_fields_set - {"description", "status"}}
        return {"release": "", **told} if "channel" in told else told


Variants = Annotated[
    dict[Annotated[str, AfterValidator(rules.variant)], Variant],
    Field(
        description="Further views, as tables [variants.NAME] in gateway.toml or as JSON, each at GATEWAY_PATH/NAME: "
        "prefix, mount, source, channel, release (what is left out is as set above), description, status."
    ),
]
