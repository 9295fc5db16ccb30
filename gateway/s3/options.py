"""What opening an S3 store needs to know.

Plain values; reading the environment is the settings' business. Source: botocore Config reference.
"""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class S3Options:
    """One bucket at one endpoint. Times are in seconds.

    `endpoint_url` None is AWS itself. `region` None is what the AWS configuration says, `us-east-1` when
    it says nothing. `addressing_style` `auto` is path style at an endpoint of our own, where
    bucket names seldom resolve, and botocore's choice at AWS. `call_timeout_s` bounds one call
    with all its attempts and its whole body, `max_concurrency` the calls at one time; waiting for a
    free place is not part of the call. Without `access_key` the usual AWS chain is asked for
    credentials, and asked again when they expire.
    """

    bucket: str
    endpoint_url: str | None = None
    region: str | None = None
    addressing_style: Literal["auto", "path", "virtual"] = "auto"
    checksum_mode: Literal["when_required", "when_supported"] = "when_required"
    connect_timeout_s: float = 3.0
    read_timeout_s: float = 10.0
    call_timeout_s: float = 30.0
    max_concurrency: int = 32
    max_attempts: int = 3
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.access_key is None) != (self.secret_key is None):
            raise ValueError("access_key and secret_key go together: give both or neither")
        if self.max_concurrency < 1 or self.max_attempts < 1:
            raise ValueError("max_concurrency and max_attempts start at 1")

    @property
    def place(self) -> str:
        """The endpoint as messages name it."""
        return self.endpoint_url or f"AWS S3{f' ({self.region})' if self.region else ''}"
