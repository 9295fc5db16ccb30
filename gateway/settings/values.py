"""Types of single values, each checked by a rule of its own."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from gateway.settings import rules

Whole = Annotated[int, BeforeValidator(rules.refuse_boolean)]
Seconds = Annotated[float, BeforeValidator(rules.refuse_boolean), Field(gt=0, le=86_400, allow_inf_nan=False)]
SecondsOrNone = Annotated[float, BeforeValidator(rules.refuse_boolean), Field(ge=0, le=86_400, allow_inf_nan=False)]
"""0 turns off what the setting is about."""
RateOrNone = Annotated[float, BeforeValidator(rules.refuse_boolean), Field(ge=0, le=1_000_000_000, allow_inf_nan=False)]
Listed = BeforeValidator(rules.split_commas)
Lower = BeforeValidator(rules.lower)
Key = Annotated[SecretStr, AfterValidator(rules.check_key)]
Issuer = Annotated[str, AfterValidator(rules.issuer)]
ApiKeyLine = Annotated[SecretStr, AfterValidator(rules.api_key)]
LintSeverity = Annotated[str, AfterValidator(rules.lint_severity)]
PublicKey = Annotated[str, AfterValidator(rules.public_key)]
Host = Annotated[str, AfterValidator(rules.host_pattern)]
Origin = Annotated[str, AfterValidator(rules.origin)]
as_rules = BeforeValidator(rules.policy_rules)

MIB = 1024 * 1024
