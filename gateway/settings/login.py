"""Settings of the login with a browser."""

from pydantic import Field
from pydantic_settings import BaseSettings

from gateway.settings.values import Whole


class LoginSettings(BaseSettings):
    """They matter where there is a page and not everybody may call."""

    page_session_s: Whole = Field(
        default=43_200,
        ge=60,
        le=30 * 86_400,
        description="Seconds that a browser stays logged in with an API key; with an access token until that expires.",
    )
