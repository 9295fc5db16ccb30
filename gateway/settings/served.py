"""Settings of what is served."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings, NoDecode

from gateway.settings import rules
from gateway.settings.values import MIB, LintSeverity, Listed, Lower, PublicKey, Seconds, SecondsOrNone, Whole
from gateway.settings.variants import Variant, Variants


class Served(BaseSettings):
    """What lies where, how much of it one answer may hold, and what of it the linter minds."""

    bucket: Annotated[str, AfterValidator(rules.bucket)] = Field(
        description="Bucket that holds the skills; an access point's ARN is accepted."
    )
    prefix: Annotated[str, AfterValidator(rules.prefix)] = Field(
        default="", description="Key prefix under which the skills lie; empty for the whole bucket."
    )
    mount: Annotated[str, AfterValidator(rules.mount)] = Field(
        default="", description="Path put in front of every skill's path in its URI."
    )
    source: Annotated[Literal["auto", "tree", "releases"], Lower] = Field(
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
    tree_poll_s: SecondsOrNone = Field(
        default=0,
        description="Seconds between two looks at whether a tree changed, to tell clients of it; 0 never looks. "
        "A look lists every key under the prefix.",
    )
    trusted_keys: Annotated[tuple[PublicKey, ...], NoDecode, Listed] = Field(
        default=(),
        description="Public keys of who may sign releases; with one set no other release is served. "
        "See skills-gateway keygen --signing.",
    )
    variants: Variants = Field(default_factory=dict[str, Variant])
    variant_meta: bool = Field(
        default=False,
        description="Whether a request may name a variant in its _meta (SEP-2053); clients that keep answers by URI "
        "alone may mix variants up.",
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

    page_size: Whole = Field(default=50, ge=1, le=1000, description="Entries on one page of a listing.")
    max_file_bytes: Whole = Field(default=16 * MIB, ge=1, description="Bytes of the largest file that is sent.")
    max_hash_bytes: Whole = Field(
        default=64 * MIB,
        ge=0,
        description="Bytes of the largest file that is hashed when the store has no SHA-256 of it; "
        "a skill with a larger one is dynamic.",
    )
    max_skill_keys: Whole = Field(
        default=10_000,
        ge=1,
        description="Keys of the largest skill; a larger one is not served.",
    )
