"""Settings of who may call."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode

from gateway.policy.rule import Rule
from gateway.provider import DEFAULT_VARIANT
from gateway.settings.rules import keys_url
from gateway.settings.values import ApiKeyLine, Issuer, Listed, Lower, as_rules


class Access(BaseSettings):
    """Who may call. `auth` comes after the settings its rule needs."""

    auth_issuers: Annotated[tuple[Issuer, ...], NoDecode, Listed] = Field(
        default=(),
        description="Identity providers whose access tokens are taken, each as the exact iss of its tokens; "
        "keys are found by its discovery document.",
    )
    auth_audiences: Annotated[tuple[str, ...], NoDecode, Listed] = Field(
        default=(),
        description="What a token must name one of as its audience; none: the URL of the endpoint.",
    )
    auth_keys_url: Annotated[str, AfterValidator(keys_url)] = Field(
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
    rules: Annotated[tuple[Rule, ...], as_rules] = Field(
        default=(),
        description="Who sees which skills, as tables [[rules]] in gateway.toml or as JSON; without one, who may call "
        "sees all, with one nobody sees what no rule shows.",
    )
    status_scopes: Annotated[tuple[str, ...], NoDecode, Listed] = Field(
        default=("skills:admin",),
        description="Scopes that a token must have, all of them, to read /statusz: it names what is refused, and the "
        "last errors. Without auth it is there only on a loopback address that has no other name.",
    )
    auth: Annotated[Literal["", "none", "bearer"], Lower] = Field(
        default="",
        description="Who may call: bearer is who brings a token of auth_issuers or one of api_keys, none is everybody; "
        "must be written out for an address that other machines reach.",
        validate_default=True,
    )

    @field_validator("rules")
    @classmethod
    def _variants_of_rules_exist(cls, policy: tuple[Rule, ...], info: ValidationInfo) -> tuple[Rule, ...]:
        if "variants" not in info.data:
            return policy  # they are wrong, and say so themselves
        known = {DEFAULT_VARIANT, *info.data["variants"]}
        for number, rule in enumerate(policy, 1):
            for name in (*rule.variants, rule.default_variant):
                if name and name not in known:
                    raise ValueError(f"rule {number} names the variant {name!r}; there are {', '.join(sorted(known))}")
        return policy

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
        if auth != "bearer" and any(rule.has_conditions for rule in info.data.get("rules", ())):
            raise ValueError("needs to be bearer, as a rule asks who calls")
        if info.data.get("auth_keys_url") and len(issuers) != 1:
            raise ValueError("has GATEWAY_AUTH_KEYS_URL, which is for exactly one of GATEWAY_AUTH_ISSUERS")
        return auth
