"""Settings of the login with a browser."""

from typing import Annotated

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode

from gateway.settings.values import Listed, Whole


class LoginSettings(BaseSettings):
    """They matter where there is a page and not everybody may call. They come after the settings their rules need."""

    page_client_id: str = Field(
        default="",
        description="Id of this gateway as a client at auth_issuers, where people log in to the page; its redirect URI "
        "is public_url with /login/callback. None: API keys and pasted tokens alone.",
    )
    page_client_secret: SecretStr | None = Field(
        default=None, description="Secret of page_client_id; none for a public client, as PKCE is always used."
    )
    page_scopes: Annotated[tuple[str, ...], NoDecode, Listed] = Field(
        default=(), description="Scopes that are asked for at a login, where the provider spells auth_scopes otherwise."
    )

    page_session_s: Whole = Field(
        default=43_200,
        ge=60,
        le=30 * 86_400,
        description="Seconds that a browser stays logged in with an API key. With an access token it is until that "
        "expires; so long after a login at its provider a browser is sent there again without being asked.",
    )

    @field_validator("page_client_id")
    @classmethod
    def _client_can_be_sent_back(cls, client: str, info: ValidationInfo) -> str:
        if client and info.data.get("auth_issuers") == ():
            raise ValueError("needs GATEWAY_AUTH_ISSUERS, where people log in")
        if client and info.data.get("public_url", "unknown") is None:
            raise ValueError("needs GATEWAY_PUBLIC_URL, as the provider sends browsers back to its /login/callback")
        return client

    @field_validator("page_client_secret")
    @classmethod
    def _secret_is_for_one_provider(cls, secret: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if secret is not None and info.data.get("page_client_id") == "":
            raise ValueError("needs GATEWAY_PAGE_CLIENT_ID, whose secret it is")
        if secret is not None and len(info.data.get("auth_issuers", "1")) != 1:
            raise ValueError(
                "is for exactly one of GATEWAY_AUTH_ISSUERS, or each would learn the secret for the others"
            )
        return secret
