"""Settings of the object store."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings

from gateway.settings import rules
from gateway.settings.values import Seconds, Whole


class Store(BaseSettings):
    """How the store is reached. Credentials come by the usual AWS chain."""

    endpoint_url: Annotated[str, AfterValidator(rules.web_url)] | None = Field(
        default=None, description="URL of an S3-compatible store; empty for AWS."
    )
    region: Annotated[str, AfterValidator(rules.region)] | None = Field(
        default=None, description="Region to sign for; empty for what the AWS chain says."
    )
    addressing_style: Literal["auto", "path", "virtual"] = Field(
        default="auto",
        description="Where the bucket stands in the URL; auto is path style with an endpoint, else botocore's choice.",
    )
    checksum_mode: Literal["when_required", "when_supported"] = Field(
        default="when_required",
        description="When the S3 client adds and checks checksums; some stores break otherwise.",
    )
    connect_timeout_s: Seconds = Field(default=2, description="Seconds to connect to the store.")
    read_timeout_s: Seconds = Field(
        default=10,
        description="Seconds the store may stay silent in the middle of an answer.",
    )
    call_timeout_s: Seconds = Field(
        default=20,
        description="Seconds one call to the store may take in all, retries included.",
    )
    max_concurrency: Whole = Field(
        default=32,
        ge=1,
        le=1000,
        description="Calls to the store at the same time, per worker.",
    )
