"""The settings, each with its type, bounds, default and one sentence of description.

Making a `Settings` reads nothing: tests and embedders pass values. `load_settings` is what reads the
environment, the file and the flags. Rules that join two settings sit on the later one, so that a
wrong start names every wrong setting at once. The README table is printed from this class.

Source: RFC 9110 section 7.2 (Host).
"""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from gateway.settings import rules

Whole = Annotated[int, BeforeValidator(rules.refuse_boolean)]
Seconds = Annotated[float, BeforeValidator(rules.refuse_boolean), Field(gt=0, le=86_400, allow_inf_nan=False)]
Listed = BeforeValidator(rules.split_commas)
Key = Annotated[SecretStr, AfterValidator(rules.check_key)]
Issuer = Annotated[str, AfterValidator(rules.issuer)]
ApiKeyLine = Annotated[SecretStr, AfterValidator(rules.api_key)]
LintSeverity = Annotated[str, AfterValidator(rules.lint_severity)]
PublicKey = Annotated[str, AfterValidator(rules.public_key)]
Host = Annotated[str, AfterValidator(rules.host_pattern)]
Origin = Annotated[str, AfterValidator(rules.origin)]

_MIB = 1024 * 1024


class Settings(BaseSettings):
    """Everything a gateway is started with; frozen."""

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        env_prefix="GATEWAY_", env_ignore_empty=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    # What is served.
    bucket: Annotated[str, AfterValidator(rules.bucket)] = Field(
        description="Bucket that holds the skills; an access point's ARN is accepted."
    )
    prefix: Annotated[str, AfterValidator(rules.prefix)] = Field(
        default="", description="Key prefix under which the skills lie; empty for the whole bucket."
    )
    mount: Annotated[str, AfterValidator(rules.mount)] = Field(
        default="", description="Path put in front of every skill's path in its URI."
    )
    source: Annotated[Literal["auto", "tree", "releases"], BeforeValidator(rules.lower)] = Field(
        default="auto",
        description="What lies under the prefix: a tree of skills, or releases that were published there; "
        "auto is releases when there is a channel at the start.",
    )
    channel: Annotated[str, AfterValidator(rules.channel)] = Field(
        default="stable", description="Channel whose release is served."
    )
    release: Annotated[str, AfterValidator(rules.release)] = Field(
        default="", description="Id of one release to serve whatever the channel says."
    )
    channel_poll_s: Seconds = Field(default=5, description="Seconds between two looks at where the channel points.")
    tree_poll_s: Annotated[float, BeforeValidator(rules.refuse_boolean)] = Field(
        default=0,
        ge=0,
        le=86_400,
        allow_inf_nan=False,
        description="Seconds between two looks at whether a tree changed, to tell clients of it; 0 never looks. "
        "A look lists every key under the prefix.",
    )
    trusted_keys: Annotated[tuple[PublicKey, ...], NoDecode, Listed] = Field(
        default=(),
        description="Public keys of who may sign releases; with one set no other release is served. "
        "See skills-gateway keygen --signing.",
    )
    allow_binary: bool = Field(
        default=False,
        description="Whether skills with binary files are served (bytes that are no UTF-8, or a type that is no text); "
        "such a skill is left out otherwise.",
    )
    lint_severities: Annotated[tuple[LintSeverity, ...], NoDecode, Listed] = Field(
        default=(),
        description="Severity of rules for check and publish, as RULE=off, RULE=warning or RULE=error.",
    )
    lint_ignore: Annotated[tuple[str, ...], NoDecode, Listed] = Field(
        default=(), description="Globs of files and folders that check and publish pass over in their rules."
    )
    directory_read: bool = Field(default=True, description="Whether resources/directory/read is offered.")

    # The object store. Credentials come by the usual AWS chain.
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

    # How much one skill, one file and one page may be.
    page_size: Whole = Field(default=50, ge=1, le=1000, description="Entries on one page of a listing.")
    max_file_bytes: Whole = Field(default=16 * _MIB, ge=1, description="Bytes of the largest file that is sent.")
    max_hash_bytes: Whole = Field(
        default=64 * _MIB,
        ge=0,
        description="Bytes of the largest file that is hashed when the store has no SHA-256 of it; "
        "a skill with a larger one is dynamic.",
    )
    max_skill_keys: Whole = Field(
        default=10_000,
        ge=1,
        description="Keys of the largest skill; a larger one is not served.",
    )

    # Cursors and caching.
    cursor_keys: Annotated[tuple[Key, ...], NoDecode, Listed] = Field(
        default=(),
        description="Keys that seal cursors, the first one seals and all of them open; "
        "none: a random one at each start, for one worker only.",
    )
    cursor_ttl_s: Whole = Field(default=3600, ge=1, le=30 * 86_400, description="Seconds until a cursor expires.")
    cache_ttl_ms: Whole = Field(default=0, ge=0, description="Milliseconds a client may keep a result.")
    cache_scope: Literal["private", "public"] = Field(
        default="private", description="Whether a shared cache may keep a result for other callers."
    )
    freshness_s: Annotated[float, BeforeValidator(rules.refuse_boolean)] = Field(
        default=5,
        ge=0,
        le=86_400,
        allow_inf_nan=False,
        description="Seconds for which what the store said is not asked again; 0 asks every time.",
    )
    stale_if_error_s: Annotated[float, BeforeValidator(rules.refuse_boolean)] = Field(
        default=300,
        ge=0,
        le=86_400,
        allow_inf_nan=False,
        description="Seconds past freshness for which the last answer is served while the store is slow or down.",
    )
    entry_cache_bytes: Whole = Field(
        default=6 * _MIB,
        ge=0,
        description="Bytes of memory, per worker, for entries, digests and what listings said.",
    )
    content_cache_bytes: Whole = Field(
        default=6 * _MIB, ge=0, description="Bytes of memory, per worker, for the contents of files."
    )
    fast_lane: bool = Field(
        default=True,
        description="Whether answers that are in memory are sent without going through the MCP SDK.",
    )

    # Who may call. `auth` comes after the settings its rule needs.
    auth_issuers: Annotated[tuple[Issuer, ...], NoDecode, Listed] = Field(
        default=(),
        description="Identity providers whose access tokens are taken, each as the exact iss of its tokens; "
        "keys are found by its discovery document.",
    )
    auth_audiences: Annotated[tuple[str, ...], NoDecode, Listed] = Field(
        default=(),
        description="What a token must name one of as its audience; none: the URL of the endpoint.",
    )
    auth_keys_url: Annotated[str, AfterValidator(rules.keys_url)] = Field(
        default="", description="URL of the JSON Web Key Set of the one issuer, for a provider without discovery."
    )
    auth_scopes: Annotated[tuple[str, ...], NoDecode, Listed] = Field(
        default=("skills:read",), description="Scopes that a token must have, all of them."
    )
    auth_groups_claim: Annotated[str, Field(min_length=1)] = Field(
        default="groups", description="Claim that holds the groups of a caller; dots lead into it."
    )
    api_keys: Annotated[tuple[ApiKeyLine, ...], NoDecode, Listed] = Field(
        default=(), description="API keys that are taken, as the lines that skills-gateway apikey new prints."
    )
    auth: Annotated[Literal["", "none", "bearer"], BeforeValidator(rules.lower)] = Field(
        default="",
        description="Who may call: bearer is who brings a token of auth_issuers or one of api_keys, none is everybody; "
        "must be written out for an address that other machines reach.",
        validate_default=True,
    )

    # The HTTP side. `host` comes after the settings its rule needs.
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

    # The process.
    workers: Whole = Field(default=1, ge=1, le=64, description="Worker processes; more than one needs cursor_keys.")
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(rules.lower)] = Field(
        default="info", description="Least severe log line that is written."
    )

    @field_validator("auth")
    @classmethod
    def _auth_fits_what_it_needs(cls, auth: str, info: ValidationInfo) -> str:
        issuers, keys = info.data.get("auth_issuers"), info.data.get("api_keys")
        if issuers is None or keys is None:
            return auth  # one of them is wrong, and says so itself
        if auth == "bearer" and not (issuers or keys):
            raise ValueError("needs GATEWAY_AUTH_ISSUERS or GATEWAY_API_KEYS, or nobody could ever call")
        if auth != "bearer" and (issuers or keys):
            raise ValueError("needs to be bearer, as GATEWAY_AUTH_ISSUERS or GATEWAY_API_KEYS is set")
        if info.data.get("auth_keys_url") and len(issuers) != 1:
            raise ValueError("has GATEWAY_AUTH_KEYS_URL, which is for exactly one of GATEWAY_AUTH_ISSUERS")
        return auth

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

    @property
    def mount_segments(self) -> tuple[str, ...]:
        """The segments that stand in front of every skill's path."""
        return tuple(self.mount.split("/")) if self.mount else ()

    @property
    def signing_keys(self) -> tuple[bytes, ...]:
        """The bytes of `cursor_keys`; empty when none is set, and then the caller makes a random one and says so."""
        return tuple(key.get_secret_value().encode() for key in self.cursor_keys)

    @property
    def accepted_hosts(self) -> tuple[str, ...]:
        """What a Host header may be, lower-case: `name`, `name:port`, or `name:*` (any port, or none)."""
        public = rules.hosts_of(self.public_url) if self.public_url else ()
        fallback = rules.LOOPBACK_HOSTS if rules.is_loopback(self.host) else ()
        return (*(self.allowed_hosts or fallback), *public)

    @property
    def accepted_origins(self) -> tuple[str, ...]:
        """What an Origin header may be, lower-case, `:*` at the end for any port, or none."""
        public = (rules.origin_of(self.public_url),) if self.public_url else ()
        fallback = rules.LOOPBACK_ORIGINS if rules.is_loopback(self.host) else ()
        return (*(self.allowed_origins or fallback), *public)

    @property
    def endpoint(self) -> str:
        """The URL that clients connect to."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return (self.public_url or f"http://{shown}:{self.port}") + self.path

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # Only what is passed: `load_settings` merges the layers, so that it can say where a value came from.
        return (init_settings,)
