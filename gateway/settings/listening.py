"""Settings of the HTTP side and of the process."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode

from gateway.settings import rules
from gateway.settings.values import Host, Listed, Lower, Origin, Seconds, Whole


class Listening(BaseSettings):
    """Where and how it listens. `host` comes after the settings its rule needs."""

    public_url: Annotated[str, AfterValidator(rules.web_url)] | None = Field(
        default=None, description="URL under which clients reach this server, without the endpoint path."
    )
    allowed_hosts: Annotated[tuple[Host, ...], NoDecode, Listed] = Field(
        default=(),
        description="Host headers that are answered, exact, as name or name:port, name:* for any port; "
        "the host of public_url is always one; none on a loopback address: the loopback names.",
    )
    allowed_origins: Annotated[tuple[Origin, ...], NoDecode, Listed] = Field(
        default=(),
        description="Origin headers that are answered, as scheme://name[:port]; a request without one always is; "
        "none on a loopback address: the loopback names.",
    )
    host: Annotated[str, Field(min_length=1)] = Field(default="127.0.0.1", description="Address to listen on.")
    port: Whole = Field(default=8000, ge=0, le=65_535, description="Port to listen on; 0 for any free one.")
    path: Annotated[str, AfterValidator(rules.endpoint_path)] = Field(
        default="/mcp",
        description="Path of the endpoint.",
    )
    max_request_bytes: Whole = Field(default=65_536, ge=1024, description="Bytes of the largest request body.")
    request_timeout_s: Seconds = Field(default=60, description="Seconds one request may take in all.")
    shutdown_timeout_s: Whole = Field(
        default=5, ge=0, le=3600, description="Whole seconds that running requests get to finish at a stop."
    )

    workers: Whole = Field(default=1, ge=1, le=64, description="Worker processes; more than one needs cursor_keys.")
    log_format: Annotated[Literal["text", "json"], Lower] = Field(
        default="text", description="Form of the log on stderr: lines for people, or one JSON object a line."
    )
    log_level: Annotated[Literal["debug", "info", "warning", "error"], Lower] = Field(
        default="info", description="Least severe log line that is written."
    )
    audit: str = Field(
        default="",
        description="File that gets a line of JSON for each answer, - for the standard output; empty for none.",
    )
    audit_max_bytes: Whole = Field(
        default=67_108_864, ge=0, description="Bytes at which the audit file is set aside; 0 for never."
    )
    audit_keep: Whole = Field(default=10, ge=1, le=1000, description="Audit files kept beside the current one.")

    @field_validator("host")
    @classmethod
    def _open_host_needs_names(cls, host: str, info: ValidationInfo) -> str:
        if info.data.get("auth") == "" and not rules.is_loopback(host):
            raise ValueError(
                "can be reached from other machines, so it must be said who may call: set GATEWAY_AUTH=bearer with "
                "GATEWAY_AUTH_ISSUERS or GATEWAY_API_KEYS, or GATEWAY_AUTH=none when everybody may"
            )
        known = {"public_url", "allowed_hosts"} <= info.data.keys()
        if known and not (rules.is_loopback(host) or info.data["public_url"] or info.data["allowed_hosts"]):
            raise ValueError(
                "can be reached from other machines, so the gateway must know its names there: "
                "set GATEWAY_ALLOWED_HOSTS (for example skills.example.com) or GATEWAY_PUBLIC_URL"
            )
        return host

    @field_validator("workers")
    @classmethod
    def _workers_share_keys(cls, workers: int, info: ValidationInfo) -> int:
        if workers > 1 and info.data.get("cursor_keys") == ():
            raise ValueError(
                "needs GATEWAY_CURSOR_KEYS, or a worker refuses the cursors of another; run: skills-gateway keygen"
            )
        return workers
